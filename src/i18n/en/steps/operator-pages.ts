import { plural } from '../plural.ts';

/** Text of the pages that you can open while the operators finish. */
export const operatorPages = {
  events: {
    title: (operator: string) => `Latest events around ${operator}`,
    none: 'No events: Kubernetes keeps them for three hours.',
    noNamespaces: 'This operator does not report its namespaces yet.',
    /** `age`: "5 min". */
    line: (age: string, type: string, reason: string, object: string, count: number) =>
      `${[age, type === 'Warning' ? 'WARNING' : '', reason, object].filter(Boolean).join('  ')}${count > 1 ? `  ×${count}` : ''}`,
    scope: (namespaces: string) => `In ${namespaces}; the newest first.`,
  },
  authority: {
    title: 'The CA of the console',
    notYet: 'The cluster has not published it yet: it comes with the ingress operator. Try again in a few minutes.',
    saved: (path: string) => `Saved as ${path}`,
    certificate: (subject: string, until: string) => `${subject}, valid until ${until}`,
    fingerprint: (text: string) => `SHA-256 ${text}`,
    count: (count: number) =>
      `${plural(count, 'certificate')}. Import it where the browser runs, and the console opens without a warning:`,
    copy: (path: string) => `scp root@BASTION:${path} .`,
    how: [
      'Firefox: Settings, Privacy & Security, View Certificates, Authorities, Import; tick "identify websites".',
      'Chrome on Linux: chrome://certificate-manager, Custom, Trusted Certificates, Import.',
      'Windows (Edge, Chrome), as administrator: certutil -addstore -f Root console-ca.crt',
      'macOS (Safari, Chrome): sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain console-ca.crt',
      'RHEL, Fedora: sudo cp console-ca.crt /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust',
      'The key of this CA can impersonate any site to a browser that trusts it: remove the CA when you install your own certificate on the routers.',
    ],
  },
  password: {
    title: 'Login to the console',
    console: (url: string) => `Console   ${url}`,
    consoleUnknown: 'not known yet',
    user: 'User      kubeadmin',
    label: 'Password  ',
    hideHint: 'Any key hides it. It is read from the file now and kept nowhere else:',
    missing: (path: string) =>
      `There is no password in ${path}. It may have been removed, as it should be once others can log in.`,
  },
  noCluster: 'There is no kubeconfig yet, so the cluster cannot be queried.',
};
