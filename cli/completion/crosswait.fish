# fish completion for crosswait: what there is to complete comes from the command itself.
complete -c crosswait -n __fish_use_subcommand -f -a '(crosswait --complete 2>/dev/null)'
complete -c crosswait -n __fish_use_subcommand -f -a help -d 'what a command does'
complete -c crosswait -n __fish_use_subcommand -l help -d 'what there is'
complete -c crosswait -n __fish_use_subcommand -s V -l version -d 'of crosswait and its formats'
complete -c crosswait \
    -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' \
    -a '(crosswait (commandline -opc)[2] --complete 2>/dev/null)'
