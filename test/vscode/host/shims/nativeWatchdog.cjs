/** Stands in for `@vscode/native-watchdog`, which has no prebuilt binary: ends this process when `parentPid` is gone. */
exports.start = (parentPid) => {
  setInterval(() => {
    try {
      process.kill(parentPid, 0);
    } catch {
      process.exit(87);
    }
  }, 1000).unref();
};

exports.exit = (code) => process.exit(code || 0);
