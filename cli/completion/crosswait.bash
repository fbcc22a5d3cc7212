# bash completion for crosswait: what there is to complete comes from the command itself.
_crosswait()
{
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} option='' listed='' values

    # bash takes "--color=al" apart at the "=".
    if [[ $word == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]}
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ $option ]]; then
        values=$(crosswait "$command" --complete="${option#--}" 2>/dev/null)
        if [[ $values ]]; then
            # The last of a list.
            word=${word#=}
            [[ $word == *,* ]] && listed=${word%,*},
            COMPREPLY=($(compgen -P "$listed" -W "$values" -- "${word##*,}"))
        else
            COMPREPLY=($(compgen -f -- "${word#=}"))
        fi
        return
    fi
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "$(crosswait --complete 2>/dev/null |
            cut -f1) help --help --version" -- "$word"))
    elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$(crosswait "$command" --complete 2>/dev/null |
            cut -f1)" -- "$word"))
        [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _crosswait crosswait
