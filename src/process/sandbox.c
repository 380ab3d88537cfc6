/* SPDX-License-Identifier: MIT
 *
 * Bubblewrap; see sandbox.h. Whether it works depends on the kernel, on containers and on distribution policies, so it
 * is tried once with the namespaces that scripts get.
 */
#include "process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/spawn.h"
#include "skillet/process.h"

#define TRIAL_MS 2000

/* Written once, by detect(). */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
  bool works;
  const char *note;
  char program[SKILL_MAX_PATH];
  char home[SKILL_MAX_PATH]; /* of the user's account; "": unknown */
} sandbox;

/* Credentials below the home folder, separated by blanks; hidden from children. */
static const char secrets[] =
    ".ssh .gnupg .aws .azure .kube .docker .config/gcloud .config/gh .netrc .npmrc .pypirc .git-credentials "
    ".password-store .local/share/keyrings .mozilla .thunderbird .config/google-chrome .config/chromium .config/op "
    ".config/hub .config/rclone .cargo/credentials.toml .gem/credentials .terraform.d .vault-token .pgpass .my.cnf "
    ".s3cfg .boto .codex/auth.json .claude/.credentials.json .bash_history .zsh_history .local/state/skillet";

static bool inside(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return path && strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]);
}

/* Whether the skill or a writable folder is inside this place, which then stays visible. */
static bool needed(const char *secret, const char *folder, const char *const *writable) {
  if (inside(folder, secret)) return true;
  for (; writable && *writable; writable++) {
    if (inside(*writable, secret)) return true;
  }
  return false;
}

/* HOME may be unset, or changed for the child: the secrets are in the home folder of the user's account. */
static void find_own_home(void) {
  char buffer[8192];
  struct passwd entry;
  struct passwd *found = NULL;
  if (getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &found) != 0 || !found || !found->pw_dir) return;
  size_t length = strlen(found->pw_dir);
  if (length < sizeof sandbox.home) memcpy(sandbox.home, found->pw_dir, length + 1);
}

static void hide_secrets(struct skill__argv *argv, const char *home, const char *folder, const char *const *writable) {
  char path[SKILL_MAX_PATH];
  size_t word;
  for (const char *s = secrets; home && home[0] == '/' && *s; s += word + strspn(s + word, " ")) {
    word = strcspn(s, " ");
    int length = snprintf(path, sizeof path, "%s/%.*s", home, (int)word, s);
    if (length < 0 || (size_t)length >= sizeof path || needed(path, folder, writable)) continue;
    struct stat info;
    if (stat(path, &info) != 0) continue;
    skill__argv_words(argv, S_ISDIR(info.st_mode) ? "--tmpfs" : "--ro-bind /dev/null");
    skill__argv_add(argv, path);
  }
}

static void bind_path(struct skill__argv *argv, const char *how, const char *path) {
  skill__argv_add(argv, how);
  skill__argv_add(argv, path);
  skill__argv_add(argv, path);
}

void skill__sandbox_arguments(struct skill__argv *argv, const char *folder, const char *const *writable, bool network,
                              const char *home) {
  static const char *const private[] = {"/tmp", "/var/tmp", "/run", NULL};
  skill__argv_words(argv, "--die-with-parent --unshare-pid --unshare-ipc --unshare-uts");
  /* For root: without capabilities a mount cannot be made writable again, but /proc/sys is writable for its owner. */
  skill__argv_words(argv, "--cap-drop ALL --ro-bind / / --dev /dev --proc /proc --ro-bind /proc/sys /proc/sys");
  skill__argv_words(argv, "--ro-bind-try /proc/sysrq-trigger /proc/sysrq-trigger");
  for (const char *const *path = private; *path; path++) {
    if (access(*path, F_OK) != 0) continue;
    skill__argv_add(argv, "--tmpfs");
    skill__argv_add(argv, *path);
  }
  /* NixOS and Guix keep their programs there */
  skill__argv_words(argv, "--ro-bind-try /run/current-system /run/current-system");
  skill__argv_words(argv, network ? "--ro-bind-try /run/systemd/resolve /run/systemd/resolve" : "--unshare-net");
  if (folder) bind_path(argv, "--ro-bind", folder);
  for (const char *const *path = writable; path && *path; path++) bind_path(argv, "--bind", *path);
  hide_secrets(argv, home, folder, writable);
  if (!home || strcmp(home, sandbox.home) != 0) hide_secrets(argv, sandbox.home, folder, writable);
  skill__argv_add(argv, "--chdir");
  skill__argv_add(argv, folder ? folder : "/");
  skill__argv_add(argv, "--");
}

/* Waits for the trial, with a time limit so that a hanging bwrap cannot block the host. */
static bool ended_well(pid_t pid, int pidfd) {
  struct pollfd wait = {pidfd, POLLIN, 0};
  if (pidfd < 0 || poll(&wait, 1, TRIAL_MS) <= 0) kill(-pid, SIGKILL);
  int status = 0;
  pid_t got;
  do got = waitpid(pid, &status, 0);
  while (got < 0 && errno == EINTR);
  return got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int run_trial(struct skill__argv *argv, struct skill__argv *env, int null) {
  char command[SKILL_MAX_PATH];
  if (skill__path_find("true", skill__environ_get(env, "PATH"), command, sizeof command) != 0) return SKILL_ENOENT;
  skill__argv_add(argv, sandbox.program);
  skill__sandbox_arguments(argv, NULL, NULL, false, NULL);
  skill__argv_add(argv, command);
  if (argv->status) return argv->status;
  struct skill__spawn spec = {.file = sandbox.program, .argv = argv->items, .envp = env->items, .cwd = -1};
  for (int i = 0; i < 3; i++) spec.fd[i] = null;
  spec.leave_privileges = true;
  pid_t pid;
  int pidfd;
  int status = skill__spawn(&spec, &pid, &pidfd, NULL);
  if (status) return status;
  bool well = ended_well(pid, pidfd);
  if (pidfd >= 0) close(pidfd);
  return well ? 0 : SKILL_EDENIED;
}

static void detect(void) {
  find_own_home();
  struct skill__argv argv = {0};
  struct skill__argv env = {0};
  skill__environ_clean(&env, NULL, NULL);
  int null = skill__spawn_null();
  if (env.status || null < 0) {
    sandbox.note = "no sandbox: out of memory or descriptors when it was tried";
  } else if (skill__path_find("bwrap", skill__environ_get(&env, "PATH"), sandbox.program, sizeof sandbox.program) !=
             0) {
    sandbox.note = "no sandbox: bubblewrap (bwrap) is not installed";
  } else if (run_trial(&argv, &env, null) != 0) {
    sandbox.note = "no sandbox: bubblewrap is installed but the kernel or a container refuses it";
  } else {
    sandbox.works = true;
    sandbox.note = "bubblewrap: read-only file system, private /tmp, own process space";
  }
  if (null >= 0) close(null);
  skill__argv_fini(&argv);
  skill__argv_fini(&env);
}

bool skill_sandbox_works(const char **reason) {
  pthread_once(&once, detect);
  if (reason) *reason = sandbox.note;
  return sandbox.works;
}

const char *skill__sandbox_program(const char **reason) {
  return skill_sandbox_works(reason) ? sandbox.program : NULL;
}
