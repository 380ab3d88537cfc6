#!/bin/sh
# man.sh SKILLET: prints the manual page, made from the program's own --help so that it cannot go stale.
set -eu
skillet=$1

escape() { sed -e 's/\\/\\e/g' -e "s/^[.']/\\\\\&&/" -e 's/-/\\-/g'; }

# Paragraphs of a command's help between its usage line and its options.
text() { "$skillet" "$1" --help | sed -e 1,2d -e '/^options:$/,$d'; }
options() { "$skillet" "$1" --help | sed -e '1,/^options:$/d'; }

version=$("$skillet" --version | cut -d ' ' -f 2)
cat <<EOF
.TH SKILLET 1 "" "skillet $version" "User Commands"
.SH NAME
skillet \- progressive disclosure of skills and tools for LLM agents
.SH SYNOPSIS
.B skillet
.I COMMAND
[\fIOPTIONS\fR] [\fIARGUMENTS\fR]
.SH DESCRIPTION
EOF
"$skillet" --help | sed -n 3p | escape
echo '.SH COMMANDS'
for command in $("$skillet" --help | sed -n '/^commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  echo ".SS $command"
  echo '.nf'
  "$skillet" "$command" --help | sed -n '1s/^usage: //p' | escape
  text "$command" | escape
  options "$command" | escape
  echo '.fi'
done
cat <<'EOF'
.SH EXIT STATUS
0 done; 1 done, and the answer is no (nothing found, findings in check); 2 wrong use; 3 the input cannot be read;
4 something outside failed (a model, a server, a child process); 5 internal.
.SH ENVIRONMENT
.TP
.B NO_COLOR
No colours, also on a terminal.
.TP
.B SKILLET_DATA
Folder with vocabularies and the table of learned terms.
EOF
