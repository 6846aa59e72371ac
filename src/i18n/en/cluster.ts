import { formatDuration } from './ui.ts';

const URGENCY = { normal: 'normal so far', warning: 'longer than usual', fatal: 'does not go away on its own' };

/** Messages about the OpenShift API: connection errors, rejected responses and problems of the kubeconfig. */
export const cluster = {
  noConnection: (endpoint: string, reason: string) => `${endpoint}: ${reason}`,
  userErrors: {
    refused: {
      title: 'The API does not answer yet',
      remedy:
        'Normal while the bootstrap or control plane node starts. If it persists, check that the load balancer forwards port 6443.',
    },
    closed: {
      title: 'The connection to the API was closed without an answer',
      remedy:
        'Normal while no API server runs behind the load balancer, or while it reloads. If it persists, check the load balancer.',
    },
    timeout: {
      title: 'The API did not answer in time',
      remedy:
        'Normal for a few minutes while nodes restart. If it persists: is the load balancer up, and does a firewall drop port 6443?',
    },
    unreachable: {
      title: 'There is no route to the API',
      remedy: 'Check the network between this host and the load balancer: routes, addresses, firewall.',
    },
    name: {
      title: 'The name of the API cannot be resolved',
      remedy: 'Check the DNS record of the API and the name servers of this host (/etc/resolv.conf).',
    },
    'not-tls': {
      title: 'The server on the port of the API does not speak TLS',
      remedy: 'Check the load balancer: port 6443 must be forwarded in TCP mode, not in HTTP mode.',
    },
    'wrong-ca': {
      title: 'The API presents a certificate of another CA',
      remedy:
        'This kubeconfig belongs to another cluster or to an earlier attempt, or the load balancer terminates TLS. Use the kubeconfig of this install, and TCP mode in the load balancer.',
    },
    'other-install': {
      title: 'The API belongs to another run of the installer',
      remedy:
        'Its CA has the expected name but another key. The ignition files were generated again after the nodes booted, or this kubeconfig is from an earlier attempt. Use the kubeconfig of the directory whose ignition files the nodes booted with, or boot all nodes again with the files of this install directory.',
    },
    'wrong-name': {
      title: 'The certificate of the API is for another name',
      remedy: 'Another server answers under the name of the API. Check its DNS record and the load balancer.',
    },
    'certificate-expired': {
      title: 'The certificate of the API has expired',
      remedy:
        'First compare the clocks of this host and of the nodes: `chronyc tracking` If they are right, the cluster was off for too long, or the nodes booted with ignition files older than 24 hours. Create new ones in a new directory and install again.',
    },
    'certificate-early': {
      title: 'The certificate of the API is not valid yet',
      remedy:
        'A clock is wrong: this host is behind, or a node was ahead when it created the certificate. Set the clocks, and the hardware clocks of the nodes: `chronyc tracking` `chronyc makestep`',
    },
    'no-common-tls': {
      title: 'The API and this host have no TLS version in common',
      remedy:
        'Either something between them terminates TLS, or their TLS settings do not match. Forward port 6443 as plain TCP in the load balancer, and check the crypto policy of this host: `update-crypto-policies --show`',
    },
    unauthorized: {
      title: 'The API does not accept the kubeconfig',
      remedy:
        'The API may refuse it for a minute while it restarts. If it persists, use the kubeconfig that openshift-install wrote for this cluster.',
    },
    'kubeconfig-expired': {
      title: 'The certificate in the kubeconfig has expired',
      remedy:
        'If the clock of this host is right, ask an administrator of the cluster for a new kubeconfig. That of the installer is valid for ten years.',
    },
    forbidden: {
      title: 'The API does not allow the request',
      remedy:
        'Normal in the first two minutes of a new API. If it persists, use the kubeconfig of the installer (system:admin).',
    },
    absent: {
      title: 'The API does not have this resource yet',
      remedy: 'Normal during the install: operators add it when they start.',
    },
    busy: {
      title: 'The API is busy or only partly up',
      remedy: 'Normal while it starts or restarts: the error goes away on its own.',
    },
    conflict: {
      title: 'Another client changed the object at the same time',
      remedy: 'Check the object and try again; nothing was overwritten.',
    },
    expired: {
      title: 'The list from the API expired while it was read',
      remedy: 'The list is read again from the start.',
    },
    invalid: {
      title: 'The API rejected the request',
      remedy: 'This is a bug in upi-wizard or a change in OpenShift: report it with the line above.',
    },
    'not-kubernetes': {
      title: 'The answer is not from the API of a cluster',
      remedy:
        'A proxy, a web page or another service answers on this address. Check the load balancer and the proxy settings of this host.',
    },
    truncated: {
      title: 'The API response was truncated',
      remedy: 'Normal while the load balancer reloads or an API server restarts: the error goes away on its own.',
    },
    proxy: {
      title: 'The proxy of the kubeconfig does not reach the API',
      remedy:
        'The kubeconfig names a proxy (proxy-url): is that proxy up, and may this host use it for port 6443? Correct the proxy-url, or remove the line if the API can be reached without it.',
    },
    unknown: {
      title: 'The request to the API failed',
      remedy: 'If it persists for some minutes, report it with the line above.',
    },
  },
  /** Details of the certificate for which a connection to the API was rejected. */
  identity: {
    certificate: (subject: string, issuer: string, fingerprint: string, trusted: readonly string[], cause: string) =>
      `it presents "${subject}", issued by "${issuer}" (SHA-256 ${fingerprint}…); the kubeconfig trusts ${trusted.slice(0, 4).join(', ') || 'no certificate'}${trusted.length > 4 ? ', …' : ''}. ${cause}`,
    expiry: (at: string, cause: string) => `valid until ${at}. ${cause}`,
  },
  outage: {
    line: (title: string, seconds: number, urgency: keyof typeof URGENCY, cause: string) =>
      `${title} (for ${formatDuration(seconds)}, ${URGENCY[urgency]}): ${cause}`,
    /** Instead of the line on a page whose finding reports the same outage. */
    reported: 'The API cannot be read now; the reason is below.',
  },
  skew: {
    title: 'The clocks of this host and of the cluster differ',
    cause: (seconds: number, isAhead: boolean) =>
      `The API is ${formatDuration(seconds)} ${isAhead ? 'ahead of' : 'behind'} this host.`,
    remedy:
      'Wrong clocks make valid certificates and requests look expired. Set the clock that is wrong, here and on the nodes, before you continue. This shows which one is wrong: `chronyc tracking`',
  },
  timeout: (ms: number) => `no answer within ${ms} ms`,
  proxy: {
    timeout: 'no answer in time',
    closed: 'connection closed without an answer',
    reply: (code: number) => `SOCKS reply ${code}`,
    failed: (proxy: string, reason: string) => `proxy ${proxy}: ${reason}`,
    login: (proxy: string) => `proxy ${proxy}: it requires a login that the proxy-url does not have`,
  },
  kubeconfig: {
    title: 'The kubeconfig cannot be used',
    notFile: (path: string) => `${path} is not a regular file.`,
    tooLarge: (path: string) => `${path} is larger than 1 MiB; a kubeconfig has a few kilobytes.`,
    unreadable: (path: string, reason: string) => `${path} cannot be read: ${reason}`,
    notYaml: (path: string) => `${path} is not a complete kubeconfig (YAML).`,
    incomplete: (field: string) => `It has no ${field}.`,
    context: (name: string) => `It has no cluster and user for its current-context "${name}".`,
    incompletePair: 'Its user has only a client-certificate or only a client-key; both are required.',
    noCredentials: 'Its user has neither a client-certificate with its client-key nor a token.',
    impersonates: 'Its user impersonates another user (as, as-groups), which upi-wizard does not support.',
    token: 'The token of its user contains spaces or characters that are not allowed in a token.',
    noAuthority: 'Its certificate-authority-data holds no certificate: it was truncated or changed.',
    otherKey: 'the key does not belong to the certificate',
    noPem: 'one of them is not PEM, or is truncated',
    credentials: (path: string, reason: string) => `The certificates or the key in ${path} cannot be read: ${reason}`,
    runsPrograms:
      'Its user runs a program to log in (exec or auth-provider); upi-wizard does not run programs from a kubeconfig.',
    insecure: 'It turns off the verification of certificates (insecure-skip-tls-verify).',
    notHttps: (server: string) => `Its server is not an https address: ${server}`,
    // The address may hold a password: it is never shown.
    proxy: (scheme = 'no address') => `Its proxy-url must begin with http, https or socks5, but has ${scheme}.`,
    remedy:
      'Use the file that openshift-install wrote: auth/kubeconfig in the install directory, unchanged and readable by you.',
  },
  /** Reasons to reject a response, even one with status 200. */
  unexpected: {
    status: (status: number) => `status ${status}`,
    notJson: (type: string) => `an answer of type ${type || 'unknown'} instead of JSON`,
    otherKind: (expected: string, actual: string) => `expected ${expected}, found ${actual || 'no kind'}`,
    shape: (fields: string) => `an answer without the expected fields: ${fields}`,
    redirect: 'a redirect to another address',
    compressed: (encoding: string) => `an answer compressed with ${encoding}, which was not requested`,
    tooLong: (limit: string) => `an answer longer than ${limit}`,
    broken: (bytes: number) => `JSON that ends too early, after ${bytes} bytes`,
  },
};
