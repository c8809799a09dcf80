/*
 * Preloaded into a process: its writes to files whose path holds FAULT_PATH are cut short. Every FAULT_EVERY-th takes
 * half of the bytes; the FAULT_KILL-th takes half and then kills the process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number(const char *name) {
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}

ssize_t write(int file, const void *bytes, size_t length) {
  static ssize_t (*real)(int, const void *, size_t);
  static int count;
  char link[64], path[4096];
  if (!real) real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t end = readlink(link, path, sizeof path - 1);
  path[end < 0 ? 0 : end] = 0;
  const char *part = getenv("FAULT_PATH");
  if (!part || !strstr(path, part) || length < 2) return real(file, bytes, length);
  int turn = __sync_add_and_fetch(&count, 1);
  int every = number("FAULT_EVERY");
  int fatal = turn == number("FAULT_KILL");
  if (!fatal && (every == 0 || turn % every != 0)) return real(file, bytes, length);
  ssize_t written = real(file, bytes, length / 2);
  if (fatal) kill(getpid(), SIGKILL);
  return written;
}
