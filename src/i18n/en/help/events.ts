/** The page `help events`: the events and the command that runs on them. */
export const eventsHelp = {
  intro:
    '"upi-wizard --on-event CMD" runs your command when something happens, so that you need not watch the terminal. It is off until you set it, is kept with the install directory, and "--on-event off" ends it. "upi-wizard event NAME" tries it.',
  eventsTitle: 'Events',
  events: {
    question: 'A question of the wizard has waited for an answer for a minute.',
    'step-done': 'A step that was open is done.',
    'step-failed': 'An action of a step has failed.',
    'step-blocked': 'A step cannot continue: something is missing or wrong.',
    'job-ended': 'A job has ended and is not restarted: boot server, openshift-install, the approval of requests.',
    'job-restarted': 'The program of a job has ended, and is restarted.',
    'certificate-refused': 'A certificate request was not approved, because it does not match the design. Raised once.',
    'installation-complete': 'All operators are available, or openshift-install reports it. Raised once.',
  },
  raisedBy:
    'The wizard raises them while it runs, full-screen or line by line; jobs raise theirs after it has ended. Stopping something yourself raises nothing.',
  commandTitle: 'The command',
  command:
    'CMD is run by "sh -c" as you, in the install directory, without input and in its own process group. It is killed after 30 seconds. At most two run at once; others wait. Its exit code and output are in .upi-wizard/events.ndjson. A failure is reported once, and stops nothing. Other users can see its arguments while it runs: keep secrets in a script.',
  variablesTitle: 'Its environment',
  variables: {
    UPI_WIZARD_EVENT: 'The event, as above.',
    UPI_WIZARD_DIR: 'The install directory.',
    UPI_WIZARD_STEP: 'The step: generate, hosts, prepare, boot, bootstrap, bootstrap-removal, certificates and others.',
    UPI_WIZARD_TEXT: 'One line of text, without secrets and control characters.',
  },
  builtInTitle: 'Built-in commands',
  builtIn: {
    wall: 'The line goes to all users of this machine.',
    write: 'The line goes to your own other terminals that accept messages.',
  },
};
