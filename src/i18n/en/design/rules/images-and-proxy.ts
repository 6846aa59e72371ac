/** Messages of the rules about proxy, mirrors and files. */
export const imageAndProxyWords = {
  proxy: {
    title: 'The proxy is a URL, reachable from the nodes',
    message: (key: string) => `${key} is not a URL of a proxy`,
    fix: 'Write http://host:port (httpsProxy may be https://), without spaces.',
    none: 'Neither httpProxy nor httpsProxy is set',
    fixNone: 'Set one of them, or remove the block.',
  },
  noProxy: {
    title: 'noProxy is a list of domains, addresses and networks, separated by commas',
    message: (item: string) => `"${item}" is neither a domain nor an address nor a network`,
    fix: 'Separate entries by commas without spaces. A leading dot includes all subdomains, without a wildcard.',
    notYet: (version: string) => `The installer of OpenShift ${version} does not accept "*" in noProxy`,
    fixNotYet: 'List domains, addresses and networks, or remove the proxy. From 4.6 on, a single * is accepted.',
  },
  mirrorRepository: {
    title: 'Mirrors are repositories without tag or digest',
    message: (text: string) => `"${text}" is not a repository`,
    fix: 'Write host[:port]/path, without https://, tag or digest.',
    notYet: (text: string, version: string) =>
      `"${text}" is a whole registry, which the installer of OpenShift ${version} does not accept`,
    fixNotYet: 'Write host[:port]/path, one entry for each repository. From 4.10 on, a whole registry is accepted.',
  },
  filePath: {
    title: 'Paths of files are plain text',
    message: 'This cannot be the path of a file',
    fix: 'Use a path without control characters.',
  },
  trustBundlePolicy: {
    title: 'A CA bundle policy needs OpenShift 4.12 or later and a CA bundle file',
    noBundle: 'There is a CA bundle policy, but no CA bundle file',
    fixNoBundle: 'Set the CA bundle file, or remove the policy.',
    notYet: (version: string) => `OpenShift ${version} has no CA bundle policy: it always uses the certificates`,
    fixNotYet: 'Remove the policy; it exists from 4.12 on.',
    proxyOnly: 'The policy is Proxyonly, but there is no proxy: nothing uses the certificates',
    fixProxyOnly: 'Use Always: a mirror registry needs it.',
  },
  nameUnanswered: {
    title: 'The name servers resolve the names below the base domain that nodes need',
    message: (name: string, zone: string) =>
      `The name servers are authoritative for ${zone} and have no record for ${name}: the nodes could not resolve it`,
    fix: (zone: string) =>
      `Use a base domain that contains nothing else, such as ocp.${zone}, or add the server to the service hosts. An address works too, unless a certificate needs the name.`,
  },
  mirrorRelease: {
    title: 'Mirrors cover both repositories of a release',
    message: (missing: string) => `The design has no mirror for ${missing}`,
    fix: 'Mirror both: the tool that copies the images prints the entries.',
  },
};
