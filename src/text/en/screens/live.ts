/** The screens of the machines and the cluster. */
export const liveWords = {
  prepare: {
    columns: { what: 'What', detail: 'Detail' },
    items: {
      installer: 'openshift-install',
      images: 'RHCOS images',
      directory: 'install directory',
      expiry: 'certificates last',
      server: 'boot server',
    },
  },
  boot: {
    columns: {
      name: 'Node',
      role: 'Role',
      address: 'Address',
      stage: 'Stage',
      seen: 'Last seen',
      detail: 'Last request',
    },
  },
  bootstrap: {
    columns: { stage: 'Stage', took: 'Took', usual: 'Usually' },
    quiet: (age: string) => `no change for ${age}`,
    /** A stage that is under way, and one that is done. */
    running: (age: string) => `${age} …`,
  },
  certificates: {
    columns: { node: 'Node', kind: 'For', age: 'Age', verdict: 'Verdict', name: 'Request' },
    /** `missing`: the nodes that have not joined, by how far each has come. */
    nodes: (joined: number, of: number, missing: readonly { readonly stage: string; readonly names: string }[]) =>
      `${joined} of ${of} nodes joined${missing.map(({ stage, names }) => `; ${stage}: ${names}`).join('')}`,
    none: 'No requests. They appear when nodes have installed themselves.',
    verdicts: {
      expected: 'expected',
      refused: 'refused',
      'not-ours': 'not ours',
      decided: 'issued',
      superseded: 'superseded',
    },
  },
  operators: {
    columns: {
      name: 'Operator',
      available: 'Avail',
      progressing: 'Progr',
      degraded: 'Degr',
      since: 'Since',
      message: 'Says',
    },
    yes: 'yes',
    no: 'no',
    none: 'The API does not list operators yet.',
  },
  infra: {
    columns: { move: 'Move', state: 'State', why: 'Why' },
    later: 'later',
    states: {
      done: 'done',
      needed: 'to do',
      moving: 'moving',
      blocked: 'blocked',
      absent: 'not needed',
      failed: 'failed',
    },
  },
} as const;
