import { formatUrlHost } from '../../../platform/text.ts';
import { plural } from '../ui.ts';

/**
 * Messages about a design: syntax and schema errors, derived facts, credential files, and the command `upi-wizard
 * design`.
 */
export const design = {
  syntax: {
    empty: 'The file is empty',
    tooLarge: (limit: number) => `The file has more than ${limit} characters: too long for a design`,
    unreadable: (detail: string) => `This is neither YAML nor JSON: ${detail}`,
    tooDeep: 'The file is nested too deeply to be a design',
    documents: (count: number) => `The file holds ${count} documents; a design is one document`,
    alias: (name: string) => `There is no anchor &${name} before the alias *${name}`,
    fixAlias: 'Write the value itself, or put it in quotes if it begins with an asterisk.',
    duplicate: (key: string) => `The key ${key} is set twice`,
    fix: (command: string) => `Compare this part of the file with the example: \`${command}\``,
    fixDuplicate: 'Keep one of the two.',
    fixDocuments: 'Remove the other documents and the lines with "---".',
  },
  shape: {
    unknownKey: (key: string) => `The key ${key} is unknown`,
    didYouMean: (key: string) =>
      `Did you mean ${key}? An unknown key is an error, so that a misspelled key is not ignored.`,
    removeKey: (keys: string) => `Remove it. Keys here: ${keys}.`,
    required: (key: string) => `${key} is missing`,
    fixRequired: (expected: string) => `Add it: ${expected}.`,
    type: (expected: string, found: string) => `This has to be ${expected}, not ${found}`,
    fixText: 'Put it in quotes.',
    fixType: (command: string) => `Compare this part of the file with the example: \`${command}\``,
    choice: (found: string, choices: string) => `${found} is not one of ${choices}`,
    fixChoice: (choices: string) => `Use one of: ${choices}.`,
    fixChoiceMeant: (meant: string, choices: string) => `Write ${meant}. Allowed: ${choices}.`,
    range: (found: string) => `${found} is out of range`,
    atLeast: (minimum: string) => `Use ${minimum} or more.`,
    atMost: (maximum: string) => `Use ${maximum} or less.`,
    tooFew: 'The list is empty',
    tooMany: 'The list has too many entries',
    fixAtLeast: (minimum: string) => `Specify at least ${minimum}.`,
    fixAtMost: (maximum: string) => `Specify at most ${maximum}.`,
    versionNotText: (found: string) => `The version ${found} is a number, not text: as a number, 4.10 becomes 4.1`,
    fixVersion: 'Put the version in quotes: "4.18".',
    apiVersion: (found: string) => `upi-wizard cannot read this kind of design: ${found}`,
    fixApiVersion: 'A design starts with "apiVersion: upi-wizard/v1" and "kind: ClusterDesign".',
    expected: {
      text: 'text',
      number: 'a number',
      whole: 'a whole number',
      flag: 'true or false',
      list: 'a list',
      map: 'a block of keys',
      addresses: 'one address, or one IPv4 and one IPv6 address',
      value: 'a value',
    },
    found: {
      null: 'nothing',
      text: 'text',
      number: (value: string) => `the number ${value}`,
      flag: (value: string) => `the value ${value}`,
      list: 'a list',
      map: 'a block of keys',
      other: 'something else',
    },
  },
  facts: {
    addresses: (count: string) => `${count} ${count === '1' ? 'address' : 'addresses'}`,
    clusterNetwork: (nodes: string, pods: string) => `${nodes} ${nodes === '1' ? 'node' : 'nodes'} × ${pods} pods`,
    left: (left: string, count: string) => `${left} of ${count} free`,
    enoughFor: (facts: string, nodes: number) => `${facts}; enough for your ${nodes}`,
    tooFewFor: (facts: string, nodes: number) => `${facts}; too few for your ${nodes}`,
    kubernetes: (minor: number) => `Kubernetes 1.${minor}`,
    endpointName: (names: string) => `is called ${names}`,
    ownAddress: (name: string) => `own address of ${name}`,
    keepalived: (hosts: string) => `keepalived adds it to ${hosts}`,
    nextFree: (address: string) => `free: ${address}`,
    returnRoute: (cidr: string, router: string) => `route to ${cidr} via ${router}`,
    url: (address: string, port: string) => `http://${formatUrlHost(address)}:${port}/`,
    pairs: (count: number) => `${plural(count, 'mirror')}`,
    hosts: (names: string) => `in all: ${names}`,
    mac: (mac: string) => `is ${mac}`,
    names: (api: string, apps: string) => `${api}, ${apps}`,
  },
  credentials: {
    missingPullSecret: 'There is no pull secret yet',
    missingSshKey: 'There is no SSH public key yet: without it you cannot log in to a node that does not come up',
    missingBundle: 'The file with the additional certificates does not exist yet',
    fixPullSecret:
      'Download it from console.redhat.com/openshift/install/pull-secret and specify the path of the file.',
    fixSshKey: (isFips: boolean) =>
      `Create one, and specify the path of the .pub file: \`ssh-keygen -t ${isFips ? 'ecdsa -b 521' : 'ed25519'}\``,
    fixBundle: 'Copy the PEM file there, or specify no file.',
    unreadable: (reason: string) => `The file cannot be read (${reason})`,
    fixUnreadable: 'Check that it is a regular file and that this user has permission to read it.',
    pullSecretJson: 'The pull secret is not JSON',
    pullSecretAuths: 'The pull secret has no "auths"',
    pullSecretEntry: (position: number) => `Entry ${position} of "auths" has neither a valid auth nor a credsStore`,
    fixPullSecretAgain: 'Download it again and copy the file as it is, on one line.',
    pullSecretRegistry: (names: string) => `The pull secret has no entry for ${names}`,
    fixPullSecretRegistry: 'Add the entries, or mirror what comes from there.',
    pullSecretRelease: (name: string) => `The pull secret has no entry for ${name}, the registry of the release images`,
    privateKey: 'This is a private key. upi-wizard needs the public key; never share the private one',
    fixPrivateKey: 'Specify the public key: the file that ends in .pub.',
    sshKey: (line: number) => `Line ${line} is not an SSH public key`,
    fixSshKeyAgain:
      'Specify a .pub file: each line is a key type, the key and a comment. Convert PuTTY and SSH2 keys: `ssh-keygen -i -f FILE`',
    sshKeyWeak: (type: string) => `This ${type} key is too weak: the SSH server of the nodes refuses it`,
    fixSshKeyWeak: 'Create another one, with either command: `ssh-keygen -t ed25519` `ssh-keygen -t rsa -b 4096`',
    sshKeyEmpty: 'The file holds no SSH public key',
    sshKeyFips: (type: string) => `Keys of type ${type} do not work with FIPS`,
    fixSshKeyFips: 'Use an RSA or ECDSA key: `ssh-keygen -t ecdsa -b 521`',
    bundleNotPem: 'The file holds more than PEM certificates',
    bundleCertificate: (position: number) => `Block ${position} of the file is not a certificate`,
    fixBundleAgain: 'Specify a file that contains only blocks from BEGIN CERTIFICATE to END CERTIFICATE.',
  },
  command: {
    usage: (command: string) => `Usage:
  ${command} example [--topology standard|compact|single-node] [--version X.Y]
          [--services hosts|bastion]
  ${command} schema
  ${command} check FILE [--json]
  ${command} import FILE [FILE…]
`,
    usageError: (detail: string) => `upi-wizard design: ${detail}`,
    noAction: 'specify an action: example, schema, check or import',
    unknownAction: (name: string) => `there is no action "${name}"`,
    noFile: 'check needs one FILE',
    tooMany: 'too many arguments',
    unknownLayout: (layout: string, known: string) =>
      `--services: "${layout}" is not one of ${known} (separate hosts, or all on the bastion)`,
    unknownTopology: (name: string, known: string) => `the topology "${name}" is not one of ${known}`,
    unknownVersion: (version: string) => `OpenShift "${version}" is not supported: use 4.5 to 4.23, or 5.0`,
    noSingleNode: (version: string) => `OpenShift ${version} cannot be installed on a single node: use 4.8 or later`,
    unreadable: (file: string, reason: string) => `upi-wizard design: ${file} cannot be read (${reason})`,
    error: 'error',
    warning: 'warning',
    problem: (place: string, severity: string, rule: string, message: string, fix: string) =>
      `${place}: ${severity} ${rule}: ${message} — ${fix}`,
    noProblems: (file: string) => `${file}: the design has no problems`,
    summary: (file: string, errors: number, warnings: number) =>
      `${file}: ${plural(errors, 'error')}, ${plural(warnings, 'warning')}`,
  },
};
