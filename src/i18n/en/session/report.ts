/** Text of report.md. */
export const report = {
  title: (cluster: string) => `# ${cluster}`,
  written: (time: string) => `Written by upi-wizard at ${time}.`,
  fact: (name: string, value: string) => `- ${name}: ${value}`,
  remark: (text: string) => `  - ${text}.`,
  version: 'OpenShift',
  api: 'API',
  apps: 'Applications',
  console: 'Console',
  kubeconfig: 'Administrator kubeconfig',
  nodes: '## Nodes',
  services: '## Service hosts',
  openIssues: '## Open issues',
  overrides: '## Failed checks that were overridden',
  override: (checks: string, reason: string, by: string, time: string) => `- ${checks}: "${reason}" (${by}, ${time})`,
  nextSteps: '## What to do next',
  secrets: {
    title: '## Where secrets are stored',
    runIn: (dir: string) => `Run the commands in ${dir}.`,
    line: (name: string, contents: string) => `- ${name}: ${contents}`,
    contents: {
      log: 'the password of kubeadmin',
      password: 'of kubeadmin; set up an identity provider first',
      state: 'private keys and the pull secret',
      bootstrap: 'private keys, administrator credentials, pull secret',
      master: 'a machine can ask to join with it',
      worker: 'a machine can ask to join with it; the cluster has it too',
      installConfig: 'the pull secret',
      pasted: 'the pull secret that was pasted',
      movedAside: 'the same secrets, of earlier runs of openshift-install',
    },
    keep: {
      generated: 'the pull secret; keep',
      kubeconfig: 'system:admin for 10 years; keep, with a copy elsewhere',
    },
  },
  columns: ['Name', 'Role', 'Address', 'MAC', 'vCPU', 'GiB', 'State'],
  row: (cells: readonly string[]) => `| ${cells.join(' | ')} |`,
  /** Pods that were evicted or became Ready while infra moves were applied or undone. */
  pods: {
    heading: '## Pods relocated by the infra moves (times in UTC)',
    line: (move: string, isUndone: boolean, time: string, what: string) =>
      `- ${move}${isUndone ? ', undone' : ''}: ${time} ${what}`,
  },
  /** The timeline, from the journal. */
  timeline: {
    heading: '## What happened (times in UTC)',
    earlier: (count: number) => `- … and ${count} earlier ${count === 1 ? 'line' : 'lines'}, in the journal.`,
    line: (time: string, what: string) => `- ${time} ${what}`,
    opened: (program: string, user: string, from: string | null) =>
      `${program} opened by ${user}${from === null ? '' : ` from ${from}`}`,
    closed: (program: string) => `${program} exited`,
    action: (step: string, what: string, subject: string | null, outcome: string) =>
      `${step}: ${what}${subject === null ? '' : ` ${subject}`}: ${outcome}`,
    actions: {
      apply: 'apply',
      'apply-one': 'apply',
      'set-up': 'set up',
      undo: 'undo',
      approve: 'approve',
      override: 'override,',
    },
    done: (seconds: number) => `done in ${seconds} s`,
    failed: (code: string) => `failed${code === '' ? '' : ` (${code})`}`,
    cancelled: 'stopped on request',
    interrupted: 'interrupted',
  },
  ready: 'Ready',
  notReady: 'not Ready',
  absent: '—',
  temporary: 'temporary, removed',
  advice: [
    '- Keep the cluster running for its first 25 hours: the first certificates are renewed then.',
    '- Log in to the console as kubeadmin (the password is in auth/kubeadmin-password), set up an identity provider, then remove the kubeadmin secret.',
    '- Approve the certificate requests of nodes that you add later; renewals are approved automatically.',
  ],
};
