import { SHORTCUTS } from '../../../shortcuts.ts';
import { plural } from '../../ui.ts';
import { clusterPage } from './cluster.ts';
import { credentialsPage } from './credentials.ts';
import { networksPage } from './networks.ts';
import { nodeWords } from './nodes.ts';
import { reviewPage } from './review.ts';
import { servicesPage } from './services.ts';

/** Texts of the design pages. */
export const pages = {
  cluster: clusterPage,
  networks: networksPage,
  nodes: {
    title: 'Nodes',
    intro: 'Every machine: its name, address, network interface and size.',
    columns: {
      name: 'Name',
      role: 'Role',
      ip: 'Address',
      mac: 'MAC',
      vcpu: 'vCPU',
      memory: 'RAM',
      memoryGiB: 'RAM GiB',
      disk: 'Disk',
      diskGiB: 'Disk GiB',
      installDisk: 'Install disk',
    },
    pasteHelp: `You can paste a table here, from a spreadsheet or a file: one node per line with name, role, address and MAC, in any order, with tabs, commas or spaces between them. The wizard first shows what it would change. If your terminal sends a paste as keys, press ${SHORTCUTS.paste} before it; ${SHORTCUTS.import} reads a file.`,
    moreKeys: `${SHORTCUTS.fillDown} fill down   ${SHORTCUTS.sort} sort   ${SHORTCUTS.duplicate} duplicate   ${SHORTCUTS.import} import a file   ${SHORTCUTS.paste} paste lines`,
    infraAdvice: (workers: number, vcpu: number, memory: number) =>
      `With ${workers} worker nodes (infra nodes are workers too) each infra node should have at least ${vcpu} vCPU and ${memory} GiB: router, registry and monitoring run there, and Prometheus grows with the cluster.`,
    why: 'The MAC address ties a machine to its address and role: one wrong digit, and that machine never boots. Names become <name>.<cluster>.<domain>.',
    exampleMacs: (names: readonly string[], more: number) =>
      `Still the example’s MAC addresses: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Those machines would never boot.`,
    edit: nodeWords,
    editTitle: (name: string) => `Edit ${name}`,
    more: 'several network interfaces, VLAN, bond, Secure Boot, kernel',
    addTitle: 'Add a node',
  },
  services: servicesPage,
  credentials: credentialsPage,
  review: reviewPage,
  topology: {
    replaced: (topology: string, count: number) =>
      `The nodes, addresses and services are now those of the ${topology} example (${plural(count, 'node')}). Your changes to them stay.`,
    nodesUnchanged: (topology: string, count: number) =>
      `Your ${count === 1 ? 'node stays as it is' : `${count} nodes stay as they are`}: make them fit ${topology} on the Nodes page.`,
  },
  editLock: {
    readOnly: `Read-only: an installation uses this design. ${SHORTCUTS.edit} lets you edit it.`,
    unlocked: `You can edit now. ${SHORTCUTS.undo} or Ctrl-Z undoes a change.`,
  },
  affectedSteps: (steps: string) => `Check again: ${steps}.`,
  undo: {
    undoNotice: (changes: string) => `Undone: ${changes}.`,
    redoNotice: (changes: string) => `Redone: ${changes}.`,
    answer: (breadcrumb: string, newText: string, oldText: string) => `${breadcrumb} ${newText} (was ${oldText})`,
    added: (breadcrumb: string) => `${breadcrumb} is restored`,
    removed: (breadcrumb: string) => `${breadcrumb} is removed again`,
    reordered: (breadcrumb: string) => `${breadcrumb}: previous order restored`,
    withMoreChanges: (firstChange: string, moreCount: number) =>
      `${firstChange}, and ${plural(moreCount, 'more change')}`,
    /** Stands for an empty answer. */
    emptyAnswer: 'empty',
    unnamed: 'a node without a name',
    unnamedChange: 'the last change',
    nothingToUndo: 'There is nothing to undo.',
    nothingToRedo: 'There is nothing to redo.',
  },
  /** Shown when text is restored that was typed, but not accepted, before the last session ended. */
  unfinished: (label: string) => `${label}: the text that you were typing is back. Enter accepts it, Esc undoes it.`,
  /** Marks an answer that is still from the example, before the facts derived from it. */
  exampleFact: (fact: string) => (fact === '' ? 'example' : `example: ${fact}`),
  choiceHint: 'This answer has fixed options: Right and Left change it, letters find one.',
  chosenByLetters: (letters: string, option: string) => `"${letters}" chooses ${option}. Esc undoes it.`,
  noOption: (letters: string, option: string) =>
    `No option begins with "${letters}": the answer stays ${option}. Backspace deletes letters.`,
  /** An error in an answer, and its fix. */
  problem: (message: string, fix: string) => `${message}${/[.!?:]$/.test(message) ? '' : '.'} ${fix}`,
  untilThen: (answer: string) => `Until then ${answer} is in use.`,
  missing: 'There is no answer yet.',
  fixMissing: 'Enter one.',
  fixNumber: 'Write it in digits.',
  fixAddresses: 'Write one, or both with a blank between them, such as 172.16.0.111 fd00::111.',
  fixHostPrefix: {
    v4: (first: number, last: number) => `Write a number from ${first} to ${last}, such as 23.`,
    v6: 'Write 64.',
  },
  more: (fieldNames: string) => `More with Ctrl-O: ${fieldNames}.`,
  moreShort: 'More with Ctrl-O.',
  moreShown: 'The questions that are rarely needed follow. Ctrl-O hides those that you did not answer.',
  moreHidden: 'The rarely needed questions are hidden again, except those that you answered.',
  noMore: 'This page has no more questions.',
  pasteFirstLine: (omittedCount: number) =>
    `Only the first line was pasted: the field holds one value. ${plural(omittedCount, 'line was', 'lines were')} left out.`,
  pasteAppended: (textBefore: string) =>
    `The text was pasted after "${textBefore}". To replace that, press Ctrl-U before you paste; Ctrl-Z undoes this.`,
  pasteUnprintable: 'Unprintable characters were removed from the pasted text: check the answer.',
  pasteTooLong: (limit: number) => `Only the first ${limit} characters were pasted: an answer cannot be longer.`,
  empty: '(empty)',
  pageHasErrors: (count: number) =>
    count === 1 ? 'One answer needs a fix first.' : `${count} answers need a fix first.`,
};
