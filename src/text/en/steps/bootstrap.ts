/** The bootstrap and its end. */
export const bootstrapWords = {
  bootstrap: {
    needed: 'the wait for the bootstrap is to be started',
    start: 'openshift-install wait-for bootstrap-complete',
    done: 'the control plane runs by itself: bootstrap can go',
    waiting: (stage: string) => `now: ${stage}`,
    stages: {
      'bootstrap-up': 'Bootstrap node serves the API and machine configuration',
      api: 'API answers through the load balancer',
      'control-plane': 'Control plane nodes join',
      complete: 'Bootstrap reports complete',
      etcd: 'etcd has let go of the bootstrap member',
    },
    usual: {
      'bootstrap-up': '8-15 min after power-on',
      api: 'at once after that',
      'control-plane': '10-20 min after the API',
      complete: '15-40 min in all',
      etcd: 'up to 5 min more',
    },
    meaning: {
      'bootstrap-up':
        'It writes its disk, reboots, pulls the release image and starts etcd and a temporary API. Refused connections are normal until then.',
      api: 'If the node serves and the load balancer does not, the load balancer lacks the bootstrap entry.',
      'control-plane':
        'Control plane nodes fetch their configuration from port 22623, reboot, and join. "EOF" on their consoles is normal until the bootstrap serves it.',
      complete: 'The operators move from the temporary control plane to the real one.',
      etcd: 'Removing the bootstrap earlier could cost etcd its majority.',
    },
    /** A single node, which is its own bootstrap. */
    inPlace: {
      done: 'the node runs the cluster by itself',
      stages: {
        'bootstrap-up': 'The node runs its bootstrap',
        api: 'API answers on the node',
        'control-plane': 'The node joins',
        complete: 'Bootstrap reports complete',
        etcd: 'etcd has let go of the bootstrap member',
      },
      usual: {
        'bootstrap-up': '8-15 min after power-on',
        api: '8-15 min after power-on',
        'control-plane': '10-20 min after that',
        complete: '30-60 min in all',
        etcd: 'up to 5 min more',
      },
      meaning: {
        'bootstrap-up': 'The bootstrap runs in the live system, from memory.',
        api: 'The bootstrap runs in the live system first. Then the node writes its disk and restarts: the API is away for some minutes, once.',
        'control-plane':
          'The node has started from its disk. What it asks for is approved there, by a service of its own.',
        complete: 'The operators move from the temporary control plane to the real one.',
        etcd: 'etcd goes on with the one member that it has.',
      },
    },
    failed: (code: number) => `openshift-install gave up with exit code ${code}`,
    failedFix:
      'Its time-out is not the end: the cluster goes on. Press Enter to watch again; if nothing changes for 15 minutes, look at the findings.',
  },
  removal: {
    nothing: 'nothing to remove: a single node is its own bootstrap',
    needed: 'bootstrap is still in the load balancer',
    done: 'bootstrap is out of the load balancer, and the API answers without it',
    tooEarly: 'the bootstrap is still needed',
    tooEarlyFix: 'Wait until the bootstrap step is done.',
    powerOff: (name: string) => `${name} can be switched off and given back`,
    verifyFailed: 'the load balancer does not answer without the bootstrap',
  },
} as const;
