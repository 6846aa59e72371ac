import { credentialsPage } from './design/pages/credentials.ts';
import { plural } from './ui.ts';

/** Texts of a `UserError`, without its code, which does not depend on the language. */
type UserErrorText = Readonly<Record<'title' | 'cause' | 'remedy', string>>;

/** Whether a path is relative to the install directory. */
const isRelative = (file: string) => !/^[/~]/.test(file);

/**
 * Messages about the generated files and about writing them. The content of the files does not depend on the language.
 */
export const artifacts = {
  unsafeText: (quoted: string): UserErrorText => ({
    title: 'A value of the design cannot be written into a configuration file',
    cause: `${quoted} has characters with a special meaning in the generated files.`,
    remedy: 'Change that value in the design: letters, digits and . : / @ % + = , * ( ) [ ] ~ ? _ - are safe.',
  }),
  credentialMissing: (
    credential: 'pull-secret' | 'pull-secret-okd' | 'ssh-key' | 'trust-bundle' | 'fencing',
    file: string | null,
  ): UserErrorText => ({
    title: `${CREDENTIAL[credential].title} is missing`,
    cause: file
      ? `${file} does not exist${isRelative(file) ? ' in the install directory' : ''}, and install-config.yaml cannot be written without it. All other files can.`
      : `"${CREDENTIAL[credential].label}" on the page Credentials is empty, and install-config.yaml cannot be written without it. All other files can.`,
    remedy: `${CREDENTIAL[credential].remedy} Then ${file ? `save it as ${file}${isRelative(file) ? ' there' : ''}` : `enter its path there (in the design file: ${CREDENTIAL[credential].key})`} and generate again.`,
  }),
  pullSecretWrong: (file: string | null, isOkd: boolean): UserErrorText => ({
    title: 'The pull secret is not valid',
    cause: `${file ?? 'It'} is not a JSON object with the key "auths".`,
    remedy: isOkd
      ? CREDENTIAL['pull-secret-okd'].remedy
      : 'Download it again from console.redhat.com/openshift/install/pull-secret and do not edit it.',
  }),
  sshKeyWrong: (file: string | null): UserErrorText => ({
    title: 'The SSH key is not a public key',
    cause: `${file ?? 'It'} is not one line that begins with the type of a public key (ssh-ed25519, ssh-rsa, ecdsa-…).`,
    remedy: 'Use the public key: the file that ends in .pub.',
  }),
  fencingWrong: (
    file: string | null,
    { message, fix }: { readonly message: string; readonly fix: string },
  ): UserErrorText => ({
    title: 'The fencing credentials file is not valid',
    cause: file === null ? `${message}.` : `${file}: ${message}.`,
    remedy: fix,
  }),
  imagesUnreadable: (detail: string): UserErrorText => ({
    title: 'The list of boot images cannot be read',
    cause: detail,
    remedy: 'Check what this prints: `openshift-install coreos print-stream-json`',
  }),
  outsideOutput: (file: string): UserErrorText => ({
    title: 'A file would be written outside the output directory',
    cause: `${file} is behind a symbolic link or outside the directory.`,
    remedy: 'Remove the link, or choose another output directory.',
  }),
  manifestUnreadable: (file: string): UserErrorText => ({
    title: 'The list of previously generated files cannot be read',
    cause: `${file} is not a files.json that upi-wizard wrote.`,
    remedy: 'Restore the file, or generate into an empty directory.',
  }),
  noImages: (architecture: string) => `the list has no images for ${architecture}`,
  cli: {
    userError: ({ title, cause, remedy }: UserErrorText) => `${title}\n  ${cause}\n  ${remedy}\n`,
    designErrors: (count: number) => `The design has ${plural(count, 'error')}; nothing was written.\n`,
    edited: (file: string) => `${file} has changed since it was generated.\n`,
    saved: (file: string, savedName: string) => `${file} was changed by hand; that version is now ${savedName}.\n`,
    stopped: 'Nothing was written. --force overwrites changed files, and keeps the old versions as <file>.<n>.orig.\n',
    obsoleteFile: (file: string) =>
      `${file} no longer belongs to the design, but was changed by hand; it was left in place.\n`,
    leftOut: (path: string, error: string) => `Not generated: ${path}\n  ${error}`,
    summary: (dir: string, stage: string, total: number, written: number, removed: number) =>
      `${dir}: ${plural(total, 'file')} for stage ${stage}; ${written} written, ${removed} removed, the rest unchanged.\n`,
    mirrorNames: 'openshift-install is not on PATH, so the boot scripts use the image names of mirror.openshift.com.\n',
    placeholderNames:
      'openshift-install is not on PATH, so the boot scripts have image names without the build number. Generate again when it is on PATH.\n',
  },
};

const CREDENTIAL = {
  'pull-secret': {
    title: 'The pull secret',
    label: credentialsPage.pullSecretFile.label,
    key: 'credentials.pullSecretFile',
    remedy: 'Download it from console.redhat.com/openshift/install/pull-secret.',
  },
  'pull-secret-okd': {
    title: 'The pull secret',
    label: credentialsPage.pullSecretFile.label,
    key: 'credentials.pullSecretFile',
    remedy:
      'OKD needs none: set credentials.pullSecretFile to null. Or save the login of your registry: `podman login --authfile FILE REGISTRY`',
  },
  'ssh-key': {
    title: 'The SSH public key',
    label: credentialsPage.sshKeyFile.label,
    key: 'credentials.sshKeyFile',
    remedy: 'Create a key pair, and use its .pub file: `ssh-keygen -t ed25519`',
  },
  'trust-bundle': {
    title: 'The additional trust bundle',
    label: credentialsPage.trustBundleFile.label,
    key: 'additionalTrustBundleFile',
    remedy: 'Get the certificate of the CA in PEM format.',
  },
  fencing: {
    title: 'The fencing credentials file',
    label: credentialsPage.fencingFile.label,
    key: 'credentials.fencingFile',
    remedy: 'Write one entry for each control plane node. This shows an example: `upi-wizard help design`',
  },
};
