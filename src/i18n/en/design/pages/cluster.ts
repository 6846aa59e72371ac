import { field } from '../../../field-words.ts';

/** Texts of the page Cluster: version, topology, name and domain of the cluster. */
export const clusterPage = {
  title: 'Cluster',
  intro: 'What you install, and its name.',
  version: field(
    'OpenShift version',
    'Determines names, kernel arguments and settings in all generated files. Use the version of your openshift-install.',
    'Enter the minor version (4.18) or a full one (4.18.11); OKD always in full (4.20.0-okd-scos.3). This prints the one you downloaded: `openshift-install version` The two must match, because image names, boot arguments and keys of install-config differ between versions. A running cluster is updated later, one minor version at a time; it cannot be downgraded.',
  ),
  architecture: field(
    'Architecture',
    'The processor of the nodes. All nodes of this installation have the same one.',
    ({ isAtLeast }) =>
      `x86_64 is Intel and AMD; aarch64 is Arm${isAtLeast('4.10') ? '' : ' (from OpenShift 4.10 on)'}; ppc64le is IBM Power; s390x is IBM Z. On a running machine, this prints it: \`uname -m\` The boot images and the release of openshift-install have to be for this architecture, whatever that of the bastion. The program openshift-install itself has to run on the bastion. IBM machines do not boot with iPXE: choose iso as Boot on the Services page. The architecture cannot be changed later.`,
  ),
  osImageStream: field(
    'RHCOS stream',
    'rhel-9 is RHCOS 9, rhel-10 is RHCOS 10. The default of the version fits unless a machine is too old for it.',
    ({ isAtLeast, minor }) =>
      `RHCOS 9 needs processors of level x86-64-v2, RHCOS 10 of x86-64-v3 (Intel since Haswell, AMD since Excavator); Power9 runs only RHCOS 9. ${
        isAtLeast('5.0')
          ? 'New clusters of 5.0 have RHCOS 10; rhel-9 is for machines that are too old for it. RHCOS 10 has no runc.'
          : `In ${minor}, rhel-10 is a Technology Preview: such a cluster can never be updated.`
      } A cluster can move from RHCOS 9 to 10 later, not back.`,
  ),
  topology: field(
    'Topology',
    'standard: 3 control plane nodes and compute nodes. compact: 3 nodes do both. arbiter (from 4.22 on): 2 such nodes and a small third. fencing (from 4.22 on): only 2. single-node: one.',
    ({ isAtLeast, minor }) =>
      `standard is what production sites use and what infra nodes need. compact suits small or edge sites: applications run on the control plane nodes, and the routers too, so the load balancer sends web traffic there. arbiter is compact with two nodes: the third etcd member runs on a small machine with 2 vCPU, 8 GiB and 50 GiB of disk, which runs no applications${
        isAtLeast('4.22') ? '' : ' (from 4.22 on)'
      }. fencing has only the two nodes: when one fails, the other powers it off through its BMC, which needs Redfish${
        isAtLeast('4.22') ? '' : ' (from 4.22 on; a Technology Preview in 4.20 and 4.21)'
      }. ${
        isAtLeast('4.8')
          ? 'single-node has no bootstrap machine and needs no load balancer; single-node-bootstrap has both, and installs as larger clusters do. When the machine fails, the cluster fails.'
          : `single-node exists from OpenShift 4.8 on, so not for ${minor}.`
      } Compute nodes can be added to a compact cluster later; the number of control plane nodes is decided now.`,
  ),
  name: field(
    'Cluster name',
    'Becomes part of every name of the cluster. It cannot be changed after the installation.',
    'Lowercase letters, digits and hyphens; 54 characters at most. With the base domain it forms the cluster domain: ocp45 and example.localdomain give api.ocp45.example.localdomain for the API, and *.apps.ocp45.example.localdomain for applications. The names are in the certificates too, so a new name means a new installation.',
  ),
  baseDomain: field(
    'Base domain',
    'The domain of the cluster. The name server that the wizard sets up is authoritative for it.',
    'Use a domain that is yours, or a subdomain that the DNS team delegates to you. The last part must not be a number (the authentication operator would never become available), and .local collides with multicast DNS. The generated name server is authoritative for this whole zone. If another server answers for the domain, use a subdomain, or choose external as DNS on the Services page. The base domain cannot be changed later.',
  ),
  fips: field(
    'FIPS mode',
    'Only when your organization requires it. It cannot be changed later, and the installer must run on a machine in FIPS mode.',
    ({ isAtLeast }) =>
      `FIPS 140 is a US government standard for cryptography: only validated modules and algorithms are used. It is enabled before the first boot or never. ${
        isAtLeast('4.16')
          ? 'From 4.16 on the installer (openshift-install-fips) refuses to run on a bastion that is not itself RHEL in FIPS mode (installed with fips=1).'
          : 'Run the installer on a RHEL machine that is itself in FIPS mode (installed with fips=1).'
      } The SSH key has to be RSA or ECDSA: ed25519 does not work with FIPS${isAtLeast('4.9') ? ', and the installer refuses it' : ''}.`,
  ),
};
