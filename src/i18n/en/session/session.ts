/** Text about the saved state and its directory. */
export const session = {
  /** Meaning of the system's error codes when a file is saved. */
  writeReasons: {
    EACCES: 'you may not write there',
    EPERM: 'you may not write there',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'your disk quota is used up',
    ENOTDIR: 'a part of the path is a file',
    ENAMETOOLONG: 'the name is too long',
    ENOENT: 'nothing can be created there',
    EIO: 'the disk could not be read or written',
    ELOOP: 'its links form a loop',
    EISDIR: 'it is a directory',
    EEXIST: 'it exists already',
    EMFILE: 'too many files are open',
    ENFILE: 'too many files are open on this machine',
    EBUSY: 'another program uses it',
    EPIPE: 'the reader closed it',
    ENOTFOUND: 'the name does not resolve',
    EAI_AGAIN: 'no name server answers',
    EAI_FAIL: 'the name server failed',
    ECONNREFUSED: 'the connection was refused',
    ECONNRESET: 'the connection was reset',
    ETIMEDOUT: 'no answer in time',
    EHOSTUNREACH: 'there is no route to that host',
    ENETUNREACH: 'there is no route to that network',
  },
  /** Meaning of the same codes when a program is started. */
  startReasons: {
    ENOENT: 'it does not exist, or is not in PATH',
    EACCES: 'permission to run it was denied',
    ENOEXEC: 'it is not a program for this machine',
    E2BIG: 'its arguments are too long',
    ENOMEM: 'there is not enough memory',
  },
  /** The system gave a code without a message. */
  unknownReason: 'the system refused',
  /** Any other write error of the disk. */
  disk: {
    title: 'Nothing can be written',
    cause: (why: string, path: string | null) => `${why}${path === null ? '' : `: ${path}`}.`,
    remedy: 'Free disk space, or make the file system writable, and try again. What was saved before is still there.',
  },
  damaged: {
    title: 'The saved session is damaged',
    cause: (file: string, why: string) => `${file}: ${why}.`,
    reasons: {
      link: 'it is a symbolic link',
      'not-a-file': 'it is not a regular file',
      'not-a-directory': 'it is not a directory',
      foreign: 'it belongs to another user',
      'too-large': 'it is larger than any session',
      'not-text': 'it is not text',
      missing: 'it no longer exists',
      empty: 'it is empty',
      'not-json': 'it is incomplete (its JSON does not parse)',
      'not-a-session': 'it does not contain a session',
      altered: 'it is not what was saved (its checksum differs)',
    },
    /** For commands that only read, or that run unattended. */
    recoverCommand: (command: string) =>
      `Nothing was checked, changed or moved, because the design is not known. To recover it: ${command}`,
    backupFile: (file: string) => `It was kept as ${file}.`,
    remedy: 'You start with empty answers. The damaged file is text (JSON): what you typed may still be read in it.',
    recovered: {
      /** The time comes first: a screen shows the beginning of a long notice. */
      title: (time: string) => `The saved session was damaged; your answers are those of ${time} UTC`,
      remedy: 'Look through them: at most the last one is missing.',
    },
  },
  unreadable: {
    title: 'The saved session cannot be read',
    cause: (file: string, why: string) => `${file}: ${why}.`,
    remedy:
      'Restore your access to the file (chown, chmod 600), or start in another directory with --dir. Nothing was touched.',
  },
  factsDropped: {
    title: 'Some saved facts were not understood',
    cause: (names: string) => `these were left out: ${names}.`,
    remedy: 'Go through the steps again: the wizard records what it finds.',
  },
  newer: {
    title: 'The saved session is from a newer upi-wizard',
    cause: (file: string, found: number, known: number) =>
      `${file} has format ${found}; this version supports up to ${known}.`,
    remedy: 'Use the newer program, or start in another directory with --dir. The file was not touched.',
  },
  unwritable: {
    title: 'The session cannot be saved',
    remedy: 'Check that the disk is not full and that the directory belongs to you, then try again.',
  },
  notVerified: 'the saved file reads back differently, as on a full disk. The previous session was restored',
  directory: {
    remedy: 'Choose another directory with --dir.',
    root: {
      title: 'The root directory cannot be an install directory',
      cause: 'the installer would fill it with files and secrets.',
    },
    home: {
      title: 'Your home directory cannot be an install directory',
      cause: 'the installer would mix its files and secrets with yours.',
    },
    symlink: { title: 'The install directory is a symbolic link', cause: (dir: string) => `${dir} points elsewhere.` },
    notDirectory: { title: 'The install directory is not a directory', cause: (dir: string) => `${dir} is a file.` },
    foreign: {
      title: 'The install directory is not yours',
      cause: (dir: string) => `${dir} belongs to another user, who could change what you install.`,
    },
    open: { title: 'The install directory is open to others', cause: (dir: string) => `everyone may write to ${dir}.` },
    unwritable: {
      title: 'The install directory cannot be used',
      cause: (dir: string, why: string) => `${dir}: ${why}.`,
    },
  },
};
