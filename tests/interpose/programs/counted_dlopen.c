/* The counted sequence in a program that is not linked with MPI: it loads the library itself, out
 * of everybody's sight. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef MPICH_NAME
#define LIBRARY "libmpich.so.12"
#else
#define LIBRARY "libmpi.so.40"
#endif

static void *library;
#define F(name) ((__typeof__(&name))dlsym(library, #name))

int main(int argc, char **argv)
{
    /* A second object that calls MPI is what sees the interposed names: here, as in a plugin, by
     * name in the global scope first. */
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *plugin = dlopen(argc > 1 ? argv[1] : "./plugin.so", RTLD_NOW | RTLD_LOCAL);
    if (!library || !plugin) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*run)(int *, char ***) = (int (*)(int *, char ***))dlsym(plugin, "plugin_run");
    return run ? run(&argc, &argv) : 1;
}
