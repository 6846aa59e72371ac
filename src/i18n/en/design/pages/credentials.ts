import { field } from '../../../field-words.ts';

/** Texts of the page Credentials: pull secret, SSH key, CA bundle, image mirrors and downloads. */
export const credentialsPage = {
  title: 'Credentials',
  intro: 'Enter the path of each file, or paste its content. The wizard saves only the paths.',
  more: 'own CA certificates, mirrors, downloads',
  pullSecretFile: field(
    'Pull secret file',
    'Lets the nodes download OpenShift. Get it from console.redhat.com/openshift/install/pull-secret. OKD needs none.',
    ({ isOkd }) =>
      isOkd
        ? 'The images of OKD are public. Without a file, install-config.yaml gets a placeholder, because the installer requires one. With a mirror registry of your own that requires a login, enter a file with its entry, as podman login --authfile writes it. Keep it readable by you only (chmod 600). A relative path is relative to the install directory. The pull secret can be replaced later in the running cluster.'
        : 'Log in with your Red Hat account. Choose "Download pull secret" and copy the file to this machine, or choose "Copy pull secret" and paste it here. The wizard saves a pasted one to a file in the install directory that only you can read. It contains passwords: keep it readable by you only (chmod 600). It goes into install-config.yaml and nowhere else. A relative path is relative to the install directory. With a mirror registry of your own, its entry has to be in the same file. The pull secret can be replaced later in the running cluster.',
  ),
  sshKeyFile: field(
    'SSH public key file',
    'Lets you log in to the nodes as "core" when something goes wrong. The .pub file, never the private one.',
    ({ isAtLeast }) =>
      `No key yet? Create one, and enter ~/.ssh/id_ed25519.pub here: \`ssh-keygen -t ed25519 -N "" -f ~/.ssh/id_ed25519\` In FIPS mode ed25519 ${
        isAtLeast('4.9') ? 'is refused' : 'does not work'
      }; enter ~/.ssh/id_ecdsa.pub then: \`ssh-keygen -t ecdsa -b 521 -N "" -f ~/.ssh/id_ecdsa\` Without a key you cannot log in to a machine that does not come up, nor collect its logs. The private key stays on the bastion. Another key can be added later with a MachineConfig, which restarts the nodes one after the other.`,
  ),
  fencingFile: field(
    'Fencing credentials',
    'Only for the topology fencing: the file with the address, user and password of the BMC of each node.',
    'When one node fails, the other powers it off with these credentials, so that two nodes never write different data. The file is YAML with one entry for each control plane node. An example is on this page: `upi-wizard help design` Make the file readable by you only (chmod 600). It goes into install-config.yaml and nowhere else; the wizard saves only its path. The addresses are those of Redfish (redfish+https://…); IPMI does not work. A relative path is relative to the install directory. The credentials can be changed later in the running cluster.',
  ),
  trustBundleFile: field(
    'CA bundle file',
    'Only for a mirror registry or a proxy with certificates of your own CA: a PEM file. Leave it empty otherwise.',
    ({ isAtLeast }) =>
      `One or more blocks from BEGIN CERTIFICATE to END CERTIFICATE: the CA that signed the certificate of your registry or proxy, not the certificate itself. ${
        isAtLeast('4.12') ? 'The next question sets when it is used.' : 'Its use can be chosen from OpenShift 4.12 on.'
      } If the CA is missing, the bootstrap machine reports "x509: certificate signed by unknown authority". The bundle can be changed later in the ConfigMap user-ca-bundle.`,
  ),
  trustBundlePolicy: field(
    'CA bundle policy',
    'Always: for every connection, as a mirror registry needs it. Proxyonly: only where there is a proxy.',
    'Proxyonly is the default of the installer. At a disconnected site without a proxy, it means that the certificates are ignored and no image can be pulled. In most cases Always is the right choice.',
  ),
  mirrors: field(
    'Image mirrors',
    'Only without internet access: quay.io/openshift-release-dev/ocp-release=registry.example.com:5000/ocp, more separated by commas.',
    ({ isAtLeast, isOkd }) =>
      `Each entry is the original repository, an equals sign, and the repository of your registry that has a copy. ${
        isOkd
          ? 'Signatures of OKD are not verified. This copies the images and prints the pairs: `oc adm release mirror` So does oc-mirror v2 with a channel of the type okd, which writes the pairs to idms-oc-mirror.yaml'
          : isAtLeast('4.21')
            ? `Copy the images with oc-mirror v2 (of 4.21 or later), which also copies their signatures: ${isAtLeast('4.22') ? 'nodes refuse' : 'the cluster refuses'} a release without them. Do not use these commands, which leave the signatures out: \`oc adm release mirror\` \`oc image mirror\` oc-mirror writes the pairs to idms-oc-mirror.yaml`
            : isAtLeast('4.16')
              ? 'oc-mirror v2 copies the images and writes the pairs to idms-oc-mirror.yaml'
              : 'The tool that copied the images prints the pairs: `oc adm release mirror`'
      }. There are usually two pairs, for ${isOkd ? 'quay.io/okd/scos-release and quay.io/okd/scos-content' : 'ocp-release and ocp-v4.0-art-dev'}. They become ${
        isAtLeast('4.14') ? 'imageDigestSources' : 'imageContentSources'
      } in install-config. The registry has to be in the pull secret, and its CA in the CA bundle file. The list of mirrors can be extended later in the running cluster.`,
  ),
  downloadsDir: field(
    'Downloads directory',
    'Only if this machine has no internet access: the directory with openshift-install, oc and the boot images.',
    'A USB stick or a directory that you copied here. A machine with internet access fills it with the script that this command prints: `upi-wizard export downloads` Prepare takes the files from it, checks them against their published checksums, and leaves the directory as it is. Leave it empty to fetch them from the internet. The option --mirror overrides it.',
  ),
  reading: 'Reading the file…',
  fileMissing: 'Correct the path, or press Enter to keep it: the file can be copied there later.',
  pasted: {
    saved: (file: string) => `Saved in ${file}, readable by you only. The wizard saves its path.`,
    wrongPage: 'A pull secret does not belong here and was not accepted: paste it on the Credentials page.',
    wrongField: (label: string) =>
      `A pull secret does not belong here and was not accepted: paste it into the field ${label}.`,
    privateKey: 'A private key was not accepted: keep it in its file. Use the .pub file.',
    useFile: 'The text is a secret, and was not accepted: save it to a file and enter the path of the file.',
    sentAsKeys:
      'No answer contains a brace ({). If your terminal sends a pasted pull secret as keys, enter the path of its file.',
  },
  state: {
    ok: 'read, looks right',
    missing: 'not found yet: needed when files are generated',
    wrong: 'found, but wrong',
  },
};
