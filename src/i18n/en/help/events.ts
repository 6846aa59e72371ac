/** The page `help events`: the events and the command that runs on them. */
export const eventsHelp = {
  intro:
    '"upi-wizard --on-event CMD" runs a command of yours when something happens, for when nobody looks at the terminal. It is off until you set it, is kept with the install directory, and "--on-event off" ends it. "upi-wizard event NAME" tries it.',
  eventsTitle: 'Events',
  events: {
    question: 'A question of the wizard has waited for an answer for a minute.',
    'step-done': 'A step that was open is done.',
    'step-failed': 'What a step did has failed.',
    'step-blocked': 'A step finds something without which it cannot continue.',
    'job-ended': 'A job has ended and is not restarted: boot server, openshift-install, the approving of requests.',
    'job-restarted': 'The program of a job has ended, and is restarted.',
    'certificate-refused': 'A certificate request was not approved, because it does not fit the design. Told once.',
    'installation-complete': 'All operators are available, or openshift-install says so. Told once.',
  },
  raisedBy:
    'The wizard raises them while it runs, on screens and in lines, and jobs raise theirs after it has ended. What you stop yourself raises nothing.',
  commandTitle: 'The command',
  command:
    'CMD is run by "sh -c" as you, in the install directory, without input and in a process group of its own. It is ended after 30 seconds. Two run at once at most; others wait. How it ended and what it printed is in .upi-wizard/events.ndjson. One that fails is told once, and stops nothing. Other users can see its words while it runs: keep secrets in a script.',
  variablesTitle: 'Its environment',
  variables: {
    UPI_WIZARD_EVENT: 'The event, as above.',
    UPI_WIZARD_DIR: 'The install directory.',
    UPI_WIZARD_STEP: 'The step: generate, hosts, prepare, boot, bootstrap, bootstrap-removal, certificates and others.',
    UPI_WIZARD_TEXT: 'One line for a person, without secrets and control characters.',
  },
  builtInTitle: 'Built-in commands',
  builtIn: {
    wall: 'The line goes to all users of this machine.',
    write: 'The line goes to your own other terminals that accept messages.',
  },
};
