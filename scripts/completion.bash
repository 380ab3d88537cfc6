# bash completion for skillet. Options are read from the --help of the command, so they are always up to date.
_skillet() {
  local word=${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" --help | sed -n 's/^  \([a-z]*\) .*/\1/p') --help --version" -- "$word"))
  elif [ "${word#-}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" "${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE '(^|[ ,])--[a-z0-9-]+' | tr -d ' ,')" -- "$word"))
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -F _skillet skillet
