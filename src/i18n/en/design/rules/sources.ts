/** Messages of the rules about proxy, mirrors and files. */
export const sourcesWords = {
  proxy: {
    title: 'The proxy is a URL, reachable from the nodes',
    message: (key: string) => `${key} is not a URL of a proxy`,
    fix: 'Write http://host:port (httpsProxy may be https://), without spaces.',
    none: 'Neither httpProxy nor httpsProxy is given',
    fixNone: 'Give one of them, or leave the block out.',
  },
  noProxy: {
    title: 'noProxy is a list of domains, addresses and networks, separated by commas',
    message: (item: string) => `"${item}" is neither a domain nor an address nor a network`,
    fix: 'Separate by commas without spaces; a domain with all below it starts with a dot; no wildcards.',
  },
  mirrorRepository: {
    title: 'Mirrors are repositories without tag or digest',
    message: (text: string) => `"${text}" is not a repository`,
    fix: 'Write host[:port]/path, without https://, tag or digest.',
  },
  filePath: {
    title: 'Paths of files are plain text',
    message: 'This cannot be the path of a file',
    fix: 'Give a path without control characters.',
  },
  trustBundlePolicy: {
    title: 'The trust bundle policy exists from 4.12 on, and is about a bundle',
    noBundle: 'There is a policy, but no file with additional certificates',
    fixNoBundle: 'Name the file, or remove the policy.',
    notYet: (version: string) => `OpenShift ${version} has no policy: it always uses the certificates`,
    fixNotYet: 'Remove the policy; it exists from 4.12 on.',
    proxyOnly: 'Proxyonly without a proxy: nothing uses the certificates',
    fixProxyOnly: 'Use Always, as a mirror registry needs it.',
  },
  nameUnanswered: {
    title: 'The name servers know the names below the base domain that nodes need',
    message: (name: string, zone: string) =>
      `The name servers answer for all of ${zone} and have no ${name}: the nodes could not resolve it`,
    fix: (zone: string) =>
      `Use a base domain that nothing else is in, such as ocp.${zone}, or name a service host there. An address works too, where no certificate needs the name.`,
  },
  mirrorRelease: {
    title: 'Mirrors cover both repositories of a release',
    message: (missing: string) => `The design names no mirror for ${missing}`,
    fix: 'Mirror both: oc-mirror prints the entries.',
  },
};
