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
    unknownKey: (key: string) => `The key "${key}" is unknown`,
    didYouMean: (key: string) =>
      `Did you mean "${key}"? An unknown key is an error, so that a misspelled key is not ignored.`,
    removeKey: (keys: string) => `Remove it. Keys here: ${keys}.`,
    required: (key: string) => `${key} is missing`,
    fixRequired: (expected: string) => `Add it: ${expected}.`,
    type: (expected: string, actual: string) => `This has to be ${expected}, not ${actual}`,
    fixText: 'Put it in quotes.',
    fixUnit: (number: string) => `Write ${number}, without a unit.`,
    fixType: (command: string) => `Compare this part of the file with the example: \`${command}\``,
    choice: (actual: string, choices: string) => `${actual} is not one of ${choices}`,
    fixChoice: (choices: string) => `Use one of: ${choices}.`,
    fixChoiceMeant: (meant: string, choices: string) => `Write ${meant}. Allowed: ${choices}.`,
    range: (actual: string) => `${actual} is out of range`,
    atLeast: (minimum: string) => `Use ${minimum} or more.`,
    atMost: (maximum: string) => `Use ${maximum} or less.`,
    tooFew: 'The list is empty',
    tooMany: 'The list has too many entries',
    fixAtLeast: (minimum: string) => `Specify at least ${minimum}.`,
    fixAtMost: (maximum: string) => `Specify at most ${maximum}.`,
    versionNotText: (actual: string) => `The version ${actual} is a number, not text: as a number, 4.10 becomes 4.1`,
    fixVersion: 'Put the version in quotes: "4.18".',
    apiVersion: (actual: string) => `upi-wizard cannot read this kind of design: ${actual}`,
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
    freeAddresses: (left: string, count: string) => `${left} of ${count} free`,
    enoughFor: (facts: string, nodes: number) => `${facts}; ${nodes} planned`,
    tooFewFor: (facts: string, nodes: number) => `${facts}; too few for ${nodes}`,
    podsPerNode: (pods: string) => `${pods} pods on each node`,
    kubernetes: (minor: number) => `Kubernetes 1.${minor}`,
    ownAddress: (name: string) => `own address of ${name}`,
    keepalived: (hosts: string) => `keepalived adds it to ${hosts}`,
    nextFree: (address: string) => `free: ${address}`,
    returnRoute: (cidr: string) => `route to ${cidr}`,
    url: (address: string, port: string) => `http://${formatUrlHost(address)}:${port}/`,
    pairs: (count: number) => `${plural(count, 'mirror')}`,
    hosts: (names: string) => `in all: ${names}`,
    mac: (mac: string) => `is ${mac}`,
    apiName: (domain: string) => `api.${domain}`,
    appsName: (domain: string) => `*.apps.${domain}`,
  },
  credentials: {
    missingPullSecret: 'There is no pull secret yet',
    missingSshKey: 'There is no SSH public key yet: without it you cannot log in to a node that does not come up',
    missingPullSecretFile: (file: string) => `The file ${file} with the pull secret does not exist`,
    missingSshKeyFile: (file: string) =>
      `The file ${file} with the SSH public key does not exist: without it you cannot log in to a node that does not come up`,
    missingBundle: 'The file with the additional certificates does not exist yet',
    fixPullSecret:
      'Download it from console.redhat.com/openshift/install/pull-secret, and specify its path on the page Credentials (in a design file: credentials.pullSecretFile).',
    fixPullSecretOkd:
      'OKD needs none: leave the answer empty. For a registry of your own, specify the file with its credentials.',
    fixSshKey: (isFips: boolean) =>
      `Create one, and specify the path of the .pub file: \`ssh-keygen -t ${isFips ? 'ecdsa -b 521' : 'ed25519'}\``,
    fixBundle: 'Copy the PEM file there, or leave the answer empty.',
    unreadable: (reason: string) => `The file cannot be read (${reason})`,
    fixUnreadable: 'Check that it is a regular file and that this user has permission to read it.',
    pullSecretJson: 'The pull secret is not JSON',
    pullSecretAuths: 'The pull secret has no "auths"',
    pullSecretEntry: (position: number) => `Entry ${position} of "auths" has neither a valid auth nor a credsStore`,
    fixPullSecretAgain: 'Download it again and copy the file as it is, on one line.',
    pullSecretRegistry: (names: string) => `The pull secret has no entry for ${names}`,
    fixPullSecretRegistry: 'Add the entries, or mirror the images of these registries.',
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
  /** The file with the BMC credentials. */
  fencing: {
    missing: 'The fencing credentials file is not set yet',
    notFound: (file: string) => `The fencing credentials file ${file} does not exist`,
    fixMissing:
      'Write one entry for each control plane node: hostName, address, username and password. This page shows an example: `upi-wizard help design`',
    mode: 'Other users of this machine can read the fencing credentials file, which holds the BMC passwords',
    fixMode: (file: string) => `Make it readable by you only: \`chmod 600 ${file}\``,
    shape: 'The file is not YAML with a list "credentials"',
    fixShape:
      'It has one key, credentials, and below it an entry for each control plane node with hostName, address, username, password and, if you want, certificateVerification.',
    count: (node: string, count: number) =>
      count === 0 ? `There is no entry for ${node}` : `There are ${count} entries for ${node}`,
    unknownNode: (position: number) => `Entry ${position} is not for a control plane node of this design`,
    fixNodes: (names: readonly string[]) =>
      `Write one entry for each control plane node, with its name as hostName: ${names.join(', ')}.`,
    unknownKey: (node: string) => `The entry of ${node} has an unknown key`,
    missingKey: (node: string, key: string) => `The entry of ${node} has no ${key}, or one that is not text`,
    fixMissingKey: 'Write it in quotes: YAML reads digits alone as a number.',
    verification: (node: string) => `certificateVerification of ${node} is neither Enabled nor Disabled`,
    fixVerification: 'Leave it out, or write Enabled. Disabled accepts any certificate of the BMC.',
    address: (node: string) => `The BMC address of ${node} is not the Redfish URL of a system`,
    fixAddress:
      'Write the URL of its system: redfish+https://bmc1.example.com/redfish/v1/Systems/1. IPMI, http and a login in the URL are not supported.',
    sameAddress: 'Two entries have the same address',
    fixSame: 'Enter the address of each node’s own BMC: a node that powers itself off protects nothing.',
    shell: (node: string) => `The BMC user or password of ${node} has characters with a special meaning in a shell`,
    fixShell:
      'The etcd operator passes both to a shell without quotes, and the installation fails. Give the BMC a user and a password that contain only letters, digits and . _ - @ % + = : , /',
    unverified: (node: string) => `The nodes accept any certificate from the BMC of ${node}`,
    fixUnverified:
      'certificateVerification is Disabled. Safer: give the BMC a certificate of your own CA, add that CA to the CA bundle file, and set Enabled.',
  },
  /** The network diagram as a picture. */
  diagram: {
    title: (domain: string) => `Networks of ${domain}`,
    description: (networks: string, roles: string) =>
      `Machine network ${networks} with ${roles}. Also shown: its service hosts and endpoints, the router, the networks inside the cluster, and the members of the load balancer by stage.`,
    hosts: 'service hosts',
    endpoints: 'endpoints',
    balancer: 'load balancer members',
    balancerByStage: 'load balancer members by stage',
    backup: (name: string) => `${name} (backup)`,
    stages: {
      install: 'during the installation',
      'bootstrap-removed': 'without the bootstrap',
      'infra-added': 'with infra nodes',
      'infra-only': 'after the infra moves',
    },
  },
  command: {
    unknownVersion: (version: string) => `OpenShift "${version}" is not supported: use 4.5 to 4.23, or 5.0`,
    noArbiter: (version: string) =>
      `${version} accepts no arbiter on user-provisioned machines: use 4.22 or later (--version 4.22)`,
    noFencing: (version: string) =>
      `${version} does not install two nodes with fencing: use 4.22 or later (--version 4.22)`,
    noSingleNode: (version: string) => `OpenShift ${version} cannot be installed on a single node: use 4.8 or later`,
    error: 'error',
    warning: 'warning',
    problem: (place: string, severity: string, rule: string, message: string, fix: string | null) =>
      `${place}: ${severity} ${rule}: ${message}${fix === null ? '' : ` — ${fix}`}`,
    noProblems: (file: string) => `${file}: the design has no problems`,
    exampleSite: (file: string) =>
      `${file}: note: every name, network and MAC address is the example’s; change them to those of your site`,
    summary: (file: string, errors: number, warnings: number) =>
      `${file}: ${plural(errors, 'error')}, ${plural(warnings, 'warning')}`,
  },
};

/** Messages of the offer to change the answers that depend on an answer that the user changed. */
export const followUp = {
  questions: {
    network: (count: number, to: string) => `Move ${plural(count, 'address', 'addresses')} to ${to}?`,
    gateway: (_count: number, to: string) => `Also use ${to} where the old gateway address is used?`,
    name: (count: number, to: string) => `Change ${plural(count, 'name')} to the new cluster name ${to}?`,
    domain: (count: number, to: string) => `Move ${plural(count, 'name')} to ${to}?`,
  },
  explanation: 'These answers still have the old value. Nothing else changes, and one undo reverts all of it.',
  replacement: (from: string, to: string, names: string) => `${from} -> ${to}  ${names}`,
  unplacedAddresses: (addresses: string) => `These do not fit into the new network and stay as they are: ${addresses}`,
  accepted: (count: number) => `${plural(count, 'answer')} changed too. Ctrl-Z reverts that.`,
  declined: 'The other answers stay as they are; the review shows what no longer fits.',
  readFirst: 'Keys that you pressed before this list appeared are ignored. Read the list, then answer.',
  yesLabel: 'change them',
  noLabel: 'leave them',
};
