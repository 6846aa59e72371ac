/** The words of the saved state and of the directory it lies in. */
export const session = {
  /** What the system's error codes mean for someone who wants to save. */
  reasons: {
    EACCES: 'you may not write there',
    EPERM: 'you may not write there',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'your disk quota is used up',
    ENOTDIR: 'a part of the path is a file',
    ENAMETOOLONG: 'the name is too long',
    ELOOP: 'its links lead in a circle',
  },
  damaged: {
    title: 'The saved session was damaged',
    cause: (file: string, kept: string) => `${file} could not be read. It was kept as ${kept}.`,
    whatToDo: 'You start with empty answers. The damaged file is text (JSON): what you typed may still be read in it.',
  },
  factsDropped: {
    title: 'Some saved facts were not understood',
    cause: (names: string) => `these were left out: ${names}.`,
    whatToDo: 'Look through the steps again: the wizard notes what it sees.',
  },
  newer: {
    title: 'The saved session is of a newer upi-wizard',
    cause: (file: string, found: number, known: number) =>
      `${file} has format ${found}; this program knows up to ${known}.`,
    whatToDo: 'Use the newer program, or start in another directory with --dir. The file was not touched.',
  },
  unwritable: {
    title: 'The session cannot be saved',
    whatToDo: 'Check that the disk is not full and that the directory belongs to you, then try again.',
  },
  locked: {
    title: 'This install directory is in use',
    cause: (pid: number) => `process ${pid} is another upi-wizard on it.`,
    whatToDo: 'Use that one, end it first, or start in another directory with --dir.',
  },
  directory: {
    whatToDo: 'Choose another directory with --dir.',
    root: {
      title: 'The root directory cannot be an install directory',
      cause: 'the installer would fill it with files and secrets.',
    },
    home: {
      title: 'Your home directory cannot be an install directory',
      cause: 'the installer would mix its files and secrets with yours.',
    },
    symlink: { title: 'The install directory is a symbolic link', cause: (dir: string) => `${dir} leads elsewhere.` },
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
