import { SHORTCUTS } from '../../shortcuts.ts';
import { plural } from '../ui.ts';

/** Text about generated files, their installation on the hosts, and the SSH key. */
export const filesWords = {
  sshKey: {
    title: 'No SSH key was created',
    created: (file: string) => `Created ${file}. The private key beside it gives access to every node: keep it here.`,
    name: (file: string) => `${file} does not end in .pub, so it is not the name of a public key.`,
    nameFix: 'Enter a file such as ~/.ssh/id_ed25519.pub, and try again.',
    exists: (path: string) => `${path} already exists.`,
    existsFix: 'Enter its .pub file, or another file for a new key.',
    noProgram: 'ssh-keygen is not installed here.',
    noProgramFix: 'Install openssh-clients (Debian: openssh-client), or enter the file of a key that you have.',
    failedFix: 'Check that this user has permission to write there.',
  },
  pastedCredential: {
    title: 'Not accepted',
    tooLong: (limit: number) => `it has more than ${limit} characters.`,
    useFile: 'Save it to a file and enter the path of that file.',
  },
  generate: {
    omitted: (path: string, reason: string) => `left out: ${path} (${reason})`,
    upToDate: (count: number, checked: number) =>
      `${plural(count, 'file')} on disk, as the design requires${checked === 0 ? '' : `; ${checked} checked here by the programs that read them`}`,
    incomplete: (count: number, missingFiles: readonly string[]) =>
      `${plural(count, 'file')} on disk; missing: ${missingFiles.join(', ')}`,
    needed: (count: number) => `${plural(count, 'file')} to write`,
    interrupted: 'the last run was interrupted: only its list of files is still to be written',
    edited: (count: number) =>
      count === 1
        ? 'One file was edited by hand since it was generated'
        : `${count} files were edited by hand since they were generated`,
    create: 'new',
    update: 'changed',
    remove: 'no longer needed',
    keepOriginal: 'overwritten; your version is saved as .orig',
    written: (count: number, dir: string) => `wrote ${plural(count, 'file')} under ${dir}`,
    checked: (file: string, program: string) => `${program} accepts ${file}`,
  },
  hosts: {
    done: 'names and load balancer answer as designed; DHCP and TFTP show no fault from here',
    stopped: (hosts: string) => `names and load balancer answer as designed, but a service does not run on ${hosts}`,
    bootServices: (hosts: string) =>
      `names and load balancer answer as designed, but a check of DHCP or TFTP fails: ${hosts}`,
    otherText: 'it differs from the generated file',
    changed: (hosts: string) =>
      `names and load balancer answer, but not every file on ${hosts} is the generated one: set that host up (${SHORTCUTS.setUp}), which shows the difference`,
    withoutFiles: (hosts: string) =>
      `names and load balancer answer as designed, but ${hosts} has none of the generated files`,
    needed: (hosts: string) => `to be set up: ${hosts}`,
    failing: (hosts: string) => `set up before, and now to be set up again, since a check fails: ${hosts}`,
    failingCheck: (host: string, query: string, detail: string) =>
      `${host}: ${detail.includes(query) || query === host ? detail : `${query}${detail === '' ? '' : `: ${detail}`}`}`,
    outdated: (hosts: string) => `files generated again since they were put in place: ${hosts}`,
    puttingInPlace: (host: string) => `putting the files of ${host} in place`,
    copy: (dir: string, address: string) => `scp -r ${dir} root@${address}:`,
    run: (host: string, address: string) => `ssh root@${address} bash ${host}/root/upi-wizard/install.sh`,
    runCopied: (host: string, address: string) =>
      `ssh -t ${address} sudo bash upi-wizard/${host}/root/upi-wizard/install.sh`,
    here: (host: string) => `${host} (this machine)`,
    runHere: (dir: string) => `sudo bash ${dir}/root/upi-wizard/install.sh`,
    copying: (host: string, address: string) => `copying the files of ${host} to ${address}`,
    filesMissing: (host: string) => ({
      title: `There are no files for ${host}`,
      cause: 'Nothing was generated for it in this directory.',
      remedy: 'Go back to Generate and write them again.',
    }),
    putInPlace: (host: string) => `files put in place and services reloaded on ${host}`,
    waiting: (names: string) => `waiting for: ${names}`,
    overridden: (count: number) =>
      `you overrode ${plural(count, 'service')} that ${count === 1 ? 'does' : 'do'} not answer as designed`,
    notYet: 'not checked yet',
    unconfirmed: (hosts: string) => `install.sh runs, or is not confirmed yet, on: ${hosts}`,
    /** Setting hosts up from this machine, on the screen of the hosts. */
    remoteSetup: {
      question: {
        'set-up': (hosts: string) => `Run install.sh on ${hosts} from here?`,
        undo: (hosts: string) => `Put everything back on ${hosts} as it was before the first run?`,
      },
      nothing: 'Nothing to do there.',
      /** In place of the question. */
      nothingToDo: {
        'set-up': (hosts: string) => `Nothing to do on ${hosts}: the files there are the generated ones.`,
        undo: (hosts: string) => `Nothing to undo on ${hosts}.`,
      },
      notYet: 'This cannot run yet. Correct what is reported here, then ask again.',
      setupNote:
        'Changes that could cut off the host or the cluster are reverted after two minutes, unless their checks pass from here. The run continues on the host if the connection is lost or the wizard exits. install.sh would change now:',
      undoNote: 'Packages stay installed. Undo would restore now:',
      inParallel: 'All of them in parallel.',
      edited: (path: string, host: string, isOverwritten: boolean) =>
        isOverwritten
          ? `Changed by hand: ${path} on ${host}, since it was put in place. It will be overwritten.`
          : `Changed by hand: ${path} on ${host}, since it was put in place. ${SHORTCUTS.overwrite} allows overwriting it.`,
      needsOverwrite: `A file was changed by hand there: ${SHORTCUTS.overwrite} allows overwriting it.`,
      keys: {
        overwrite: 'allow overwriting',
        overwriteAndRun: { 'set-up': 'overwrite and run', undo: 'overwrite and undo' },
        inParallel: 'in parallel',
      },
      changedMeanwhile: (host: string) => ({
        title: `${host} has changed since it was shown`,
        cause: 'Something changed there since you read what would be done. Nothing was done.',
        remedy: 'Read the preview again, then confirm.',
      }),
      editedOnHost: (paths: string, host: string) => ({
        title: `Nothing was done on ${host}`,
        cause: `Changed by hand on ${host} since upi-wizard put them in place: ${paths}`,
        remedy: `To overwrite them, try again and press ${SHORTCUTS.overwrite} in the question, or run \`upi-wizard hosts apply --overwrite\``,
      }),
      failed: {
        title: 'Not every host is set up',
        remedy: 'Fix what is reported, in the answers or on the host, and try again.',
      },
    },
  },
};
