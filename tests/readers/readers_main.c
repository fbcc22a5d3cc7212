/* Runs a fuzz target over files, without libFuzzer: fuzz_X FILE... Folders are gone through. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

static int file_try(const char *path)
{
    unsigned char *data = NULL;
    size_t bytes = 0, got;
    FILE *file = fopen(path, "rb");

    if (!file)
        return 0;
    do {
        data = realloc(data, bytes + 65536);
        got = data ? fread(data + bytes, 1, 65536, file) : 0;
        bytes += got;
    } while (got);
    fclose(file);
    LLVMFuzzerTestOneInput(data, bytes);
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    int tried = 0;

    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        struct dirent *entry;
        char path[4096];
        if (!dir)
            tried += file_try(argv[i]);
        while (dir && (entry = readdir(dir)))
            if (entry->d_name[0] != '.') {
                snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
                tried += file_try(path);
            }
        if (dir)
            closedir(dir);
    }
    printf("%d files\n", tried);
    return tried == 0;
}
