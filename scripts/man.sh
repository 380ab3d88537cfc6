#!/bin/sh
# man.sh SKILLET: prints the manual page, made from the program's own --help so that it cannot go stale.
set -eu
skillet=$1

escape() { sed -e 's/…/.../g' -e 's/\\/\\e/g' -e "s/^[.']/\\\\\&&/" -e 's/-/\\-/g'; }

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
.B SKILLET_SKILLS
Folders of skills, with \(aq:\(aq between them, where a command line names none.
.TP
.B SKILLET_CONFIG
The configuration instead of ~/.config/skillet/config.yaml.
.TP
.B SKILLET_DATA
Folder with vocabularies and the table of learned terms.
.TP
.B SKILLET_EMBED_KEY
The key for \-\-embed\-url.
.TP
.B OPENAI_API_KEY, ANTHROPIC_API_KEY, ...
Keys of models; docs/models.md has the list.
.TP
.B NO_COLOR
No colours, also on a terminal.
.SH FILES
.TP
.I ~/.config/skillet/config.yaml, .skillet/config.yaml
The user\(aqs and the project\(aqs configuration; docs/config.md has the keys.
.TP
.I ~/.cache/skillet
Counts of tokens and vectors; it may be deleted at any time.
.TP
.I ~/.local/state/skillet/history
Lines typed into skillet chat.
EOF
