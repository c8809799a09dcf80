/* Shuts a mounted ext4 down without writing its journal back, as a power cut does: powerCut <folder on it> */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <linux/types.h>

int main(int count, char **words) {
  __u32 without_flush = 2;
  int folder = count == 2 ? open(words[1], O_RDONLY) : -1;
  if (folder < 0 || ioctl(folder, _IOR('X', 125, __u32), &without_flush) != 0) {
    perror("powerCut");
    return 1;
  }
  return 0;
}
