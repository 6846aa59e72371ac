/** The words of the rehearsal: its faults, and what goes wrong with the site itself. */
export const rehearsal = {
  faults: {
    'node-never-boots': 'One compute node never powers on.',
    'wrong-mac': 'One compute node has another MAC address than the design says.',
    'hostile-csr': 'Somebody on the machine network asks for certificates of nodes that are not theirs.',
    'operator-degraded': 'One cluster operator stays degraded, so the installation does not complete.',
  },
  siteDidNotStart: {
    title: 'The rehearsal site did not start',
    cause: (log: string) => `The process ended before it was ready. Its log is ${log}.`,
    whatToDo: 'Read the end of the log. Start the rehearsal in an empty directory when the saved world is damaged.',
  },
  siteRefused: {
    title: 'The rehearsal site refused',
    whatToDo: 'Look at the log of the site, beside its world file.',
  },
  siteGone: {
    title: 'The rehearsal site does not answer',
    whatToDo: 'Start the rehearsal again with the same directory: it goes on where it was.',
  },
  noSuchMachine: (name: string) => `there is no machine called ${name}`,
  noSuchHost: (name: string) => `there is no host called ${name}`,
};
