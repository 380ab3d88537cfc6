#!/bin/sh
# man.sh SKILLET: prints the manual page. It is generated from the program's --help, so it is always up to date.
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
0 success; 1 success, but the answer is "no" or "none" (nothing found, problems found by check); 2 usage error;
3 unreadable input; 4 failure of an external service (a model, a server, a child process); 5 internal error.
.SH ENVIRONMENT
.TP
.B SKILLET_SKILLS
Folders of skills, separated by \(aq:\(aq, used if a command line names none.
.TP
.B SKILLET_CONFIG
The configuration file, instead of ~/.config/skillet/config.yaml.
.TP
.B SKILLET_DATA
The folder with vocabularies and the learned table of terms.
.TP
.B SKILLET_EMBED_KEY
The key for \-\-embed\-url.
.TP
.B OPENAI_API_KEY, ANTHROPIC_API_KEY, ...
Keys of models; docs/models.md lists them.
.TP
.B NO_COLOR
Disables colours on a terminal.
.SH FILES
.TP
.I ~/.config/skillet/config.yaml, .skillet/config.yaml
The user\(aqs and the project\(aqs configuration; docs/config.md has the keys.
.TP
.I ~/.cache/skillet
Cached token counts and vectors. The folder may be deleted at any time.
.TP
.I ~/.local/state/skillet/history
Lines typed into skillet chat.
EOF
