/** Stands in for `@vscode/spdlog`, which has no prebuilt binary: without it log files and output channels stay empty. */
const { appendFileSync, closeSync, mkdirSync, openSync } = require('node:fs');
const { dirname } = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

class Logger {
  level = LEVELS.indexOf('info');
  raw = false;

  constructor(file) {
    this.file = file;
    mkdirSync(dirname(file), { recursive: true });
    closeSync(openSync(file, 'a'));
  }

  write(level, message) {
    if (level < this.level || !this.file) return;
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    try {
      appendFileSync(this.file, this.raw ? message : `${time} [${LEVELS[level]}] ${message}\n`);
    } catch {
      // The folder may be removed while VS Code shuts down: nobody reads this log any more.
    }
  }

  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  setPattern() {
    this.raw = false;
  }
  clearFormatters() {
    this.raw = true;
  }
  flush() {}
  drop() {
    this.file = undefined;
  }
}

LEVELS.forEach((name, level) => {
  Logger.prototype[name === 'warning' ? 'warn' : name] = function (message) {
    this.write(level, message);
  };
});

/** VS Code imports these by name, which Node finds only in assignments to `exports`. */
exports.version = 10000;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.createRotatingLogger = async (_name, file) => new Logger(file);
exports.createAsyncRotatingLogger = exports.createRotatingLogger;
exports.Logger = class extends Logger {
  constructor(_type, _name, file) {
    super(file);
  }
};
