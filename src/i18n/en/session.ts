import { joinNames, plural } from './ui.ts';

/** Names a few infra moves as the subject of a sentence, and counts many. */
const nameMoves = (moves: readonly string[]) =>
  `${moves.length > 4 ? plural(moves.length, 'infra move') : joinNames(moves)} ${moves.length === 1 ? 'was' : 'were'}`;

/** Text about the saved state and its directory. */
export const session = {
  /** Meaning of the system's error codes when a file is saved. */
  writeReasons: {
    EACCES: 'you have no permission to write there',
    EPERM: 'you have no permission to write there',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'your disk quota is used up',
    ENOTDIR: 'a part of the path is a file',
    ENAMETOOLONG: 'the name is too long',
    ENOENT: 'nothing can be created there',
    EIO: 'the disk could not be read or written',
    ELOOP: 'its symbolic links form a loop',
    EISDIR: 'it is a directory',
    EEXIST: 'it exists already',
    EMFILE: 'too many files are open',
    ENFILE: 'too many files are open on this machine',
    EBUSY: 'another program is using it',
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
  unwritablePath: (path: string, reason: string, place: string) =>
    `${path} cannot be written: ${reason}. Choose another path with ${place}.`,
  missingParent: (path: string, parent: string, place: string) =>
    `${path} cannot be written: there is no directory ${parent}. Create it, or choose another path with ${place}.`,
  /** Meaning of the system's error codes when a program is started. */
  startReasons: {
    ENOENT: 'it does not exist, or is not in PATH',
    EACCES: 'permission to run it was denied',
    ENOEXEC: 'it is not a program for this machine',
    E2BIG: 'its arguments are too long',
    ENOMEM: 'there is not enough memory',
  },
  /** Used if the system gave a code without a message. */
  unknownReason: 'the system refused',
  /** A full or read-only disk, or an exceeded quota, if no other error explains it. */
  disk: {
    title: 'Nothing can be written',
    cause: (reason: string, path: string | null) => `${reason}${path === null ? '' : `: ${path}`}.`,
    remedy: 'Free disk space, or make the file system writable, and try again. Everything saved before is still there.',
  },
  damaged: {
    title: 'The saved session is damaged',
    cause: (file: string, reason: string) => `${file}: ${reason}.`,
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
    /** The remedy for commands that only read, or that run unattended: they do not recover the session. */
    recoverCommand: (command: string) =>
      `Nothing was checked, changed or moved, because the design is not known. To recover it: \`${command}\``,
    backupFile: (file: string) => `It was saved as ${file}.`,
    remedy: 'You start with empty answers. The damaged file is text (JSON): your answers may still be readable in it.',
    recovered: {
      /** The title already has the time: a screen shows only the beginning of a long notice. */
      title: (time: string) => `The saved session was damaged; your answers are those of ${time} UTC`,
      remedy: 'Look through them: at most the last one is missing.',
    },
  },
  unreadable: {
    title: 'The saved session cannot be read',
    cause: (file: string, reason: string) => `${file}: ${reason}.`,
    remedy:
      'Restore your access to the file (chown, chmod 600), or start in another directory with --dir. Nothing was touched.',
  },
  factsDropped: {
    title: 'Some saved facts were not understood',
    cause: (names: string) => `These were left out: ${names}.`,
    remedy: 'Go through the steps again: the wizard records what it finds.',
  },
  newer: {
    title: 'The saved session is from a newer upi-wizard',
    cause: (file: string, fileVersion: number, newestVersion: number) =>
      `${file} has format ${fileVersion}; this version supports up to ${newestVersion}.`,
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
    open: {
      title: 'The install directory is open to others',
      cause: (dir: string) => `every user can write to ${dir}.`,
    },
    unwritable: {
      title: 'The install directory cannot be used',
      cause: (dir: string, reason: string) => `${dir}: ${reason}.`,
    },
  },
};

/** Text of the page that is shown when a user returns to a session. */
export const welcomeBack = {
  title: (place: string) => `Welcome back. Enter continues at ${place}.`,
  userFrom: (user: string, from: string | null) => `${user}${from === null ? '' : ` from ${from}`}`,
  exited: (when: string, user: string | null) => `${user === null ? 'You left' : `${user} left`} at ${when}.`,
  interrupted: (when: string, user: string | null) =>
    `${user === null ? 'Your last session' : `The last session, of ${user},`} was cut off; it last saved at ${when}.`,
  question: (step: string) => `A question is waiting for your answer: ${step}.`,
  since: 'Since then:',
  nothing: 'Nothing was applied, no job ran, and no generated file was changed.',
  line: (text: string) => `- ${text}`,
  action: (time: string, text: string, similarCount: number) =>
    `${time} ${text}${similarCount === 0 ? '' : `; ${similarCount} similar before it`}`,
  editedFile: (file: string) => `files/${file} was changed by hand.`,
  requests: (count: number, expected: number, refusedCount: number) =>
    `${plural(count, 'new certificate request')} ${count === 1 ? 'waits' : 'wait'}: ${expected} expected, ${refusedCount} for you to review.`,
  operators: (names: string, more: number) =>
    `Operators that changed: ${names}${more > 0 ? ` and ${plural(more, 'other')}` : ''}.`,
  operator: (name: string, state: string) => `${name} (${state})`,
  operatorStates: {
    degraded: 'degraded',
    unavailable: 'not available',
    progressing: 'progressing',
    fine: 'available',
  },
  earlier: (count: number) => `… and ${count} earlier`,
  /** @param changes in words; empty: nothing was observed */
  absence: (age: string, changes: readonly string[]) =>
    `Since you left (${age}): ${changes.length === 0 ? 'no change' : changes.join('; ')}.`,
  changes: {
    booted: (count: number) => `${plural(count, 'machine')} fetched ${count === 1 ? 'its' : 'their'} ignition file`,
    joined: (count: number) => `${plural(count, 'node')} joined`,
    ready: (count: number) => `${plural(count, 'node')} became Ready`,
    lost: (names: string) => `${names} lost: not Ready any more`,
    approved: (count: number) => `${plural(count, 'certificate request')} approved`,
    expected: (count: number) => `${plural(count, 'new certificate request')} that the wizard approves`,
    toApprove: (count: number) => `${plural(count, 'new certificate request')} to approve`,
    refused: (count: number) =>
      `${plural(count, 'certificate request')} ${count === 1 ? 'waits' : 'wait'} for your decision`,
    available: (count: number) => `${plural(count, 'operator')} became available`,
    unhealthy: (names: string) => `not healthy: ${names}`,
    applied: (moves: readonly string[]) => `${nameMoves(moves)} applied`,
    undone: (moves: readonly string[]) => `${nameMoves(moves)} undone`,
    hostsSetUp: (count: number) => `${plural(count, 'service host')} set up`,
    hostsUndone: (count: number) => `${plural(count, 'service host')} undone`,
    jobEnded: (job: string, code: number) =>
      `${job.replace(/^The /, 'the ')} ${code === 0 ? 'finished' : `ended with code ${code}`}`,
    apiAway: 'the API does not answer',
    failed: (names: string) => `failed: ${names}`,
  },
  jobs: {
    names: {
      'boot-server': 'The boot server',
      'csr-follow': 'The job that approves certificate requests',
      'bootstrap-complete': 'openshift-install wait-for bootstrap-complete',
      'install-complete': 'openshift-install wait-for install-complete',
      'infra-moves': 'The job that carries out infra moves',
    },
    running: (job: string) => `${job} continued to run.`,
    restarted: (job: string, count: number, when: string) =>
      `${job} ended ${plural(count, 'time')}, last at ${when}, and was restarted.`,
    ended: (job: string, code: number, when: string) =>
      `${job} exited at ${when}${code === 0 ? ', successfully' : ` with code ${code}`}.`,
    lost: (job: string) => `${job} no longer runs, and how it ended was not recorded.`,
  },
};

/** Notifications that the wizard sends to the terminal, for a user who is away from it. */
export const notifications = {
  question: (step: string) => `${step}: a question waits for your answer`,
  done: (step: string) => `${step}: done`,
  failed: (step: string, title: string) => `${step}: failed: ${title}`,
  blocked: (step: string, summary: string) => `${step}: ${summary}`,
  requests: (nodes: readonly string[]) =>
    `certificate requests wait for you: ${nodes.slice(0, 5).join(', ')}${nodes.length > 5 ? ` and ${nodes.length - 5} more` : ''}`,
};
