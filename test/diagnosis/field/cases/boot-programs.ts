import { type FieldCase, text } from '../field-case.ts';

const PXE = 'https://www.pix.net/software/pxeboot/archive/pxespec.pdf';
const EDK2 = 'https://github.com/tianocore/edk2/blob/master/NetworkPkg/UefiPxeBcDxe/PxeBcImpl.c';
const IPXE = 'https://ipxe.org/err';
const COREOS_INSTALLER = 'https://github.com/coreos/coreos-installer';
const SERVER = 'http://172.16.0.110:8080';

const MESSAGES = [
  ['PXE-E32', 'tftp-silent', PXE, 'PXE-E32: TFTP open timeout'],
  ['PXE-E18', 'tftp-silent', EDK2, '  PXE-E18: Server response timeout.'],
  ['PXE-T01', 'boot-program-missing', PXE, 'PXE-T01: File not found'],
  ['PXE-E23', 'boot-program-missing', EDK2, '  PXE-E23: Client received TFTP error from server.'],
  ['PXE-E53', 'dhcp-boot-wrong', PXE, 'PXE-E53: No boot filename received'],
  ['iPXE 2d03e13b', 'dhcp-boot-wrong', IPXE, 'Nothing to boot: No such file or directory (https://ipxe.org/2d03e13b)'],
  ['PXE-E51', 'wrong-mac', PXE, 'PXE-E51: No DHCP or proxyDHCP offers were received.'],
  ['PXE-E16', 'wrong-mac', EDK2, '  PXE-E16: No valid offer received.'],
  [
    'iPXE 111a6092',
    'boot-server-silent',
    IPXE,
    `${SERVER}/boot.ipxe... Connection refused (https://ipxe.org/111a6092)`,
  ],
  [
    'iPXE 2d0c618e',
    'boot-file-missing',
    IPXE,
    `${SERVER}/images/kernel... No such file or directory (https://ipxe.org/2d0c618e)`,
  ],
  [
    'iPXE 0216eb8f',
    'boot-file-forbidden',
    IPXE,
    `${SERVER}/ignition/master.ign... Permission denied (https://ipxe.org/0216eb8f)`,
  ],
  [
    'reqwest 404',
    'boot-file-missing',
    COREOS_INSTALLER,
    `Caused by: fetching ${SERVER}/master.ign: HTTP status client error (404 Not Found) for url (${SERVER}/master.ign)`,
  ],
  [
    'wipefs',
    'disk-busy',
    'https://github.com/util-linux/util-linux',
    'wipefs: error: /dev/sda: probing initialization failed: Device or resource busy',
  ],
  [
    'coreos-installer, no device',
    'install-disk-wrong',
    COREOS_INSTALLER,
    'Error: getting sector size of /dev/sda\n\nCaused by:\n    0: opening "/dev/sda"\n    1: No such file or directory (os error 2)',
  ],
  [
    'chronyd',
    'clock-skew',
    'https://gitlab.com/chrony/chrony/-/blob/master/local.c',
    'Nov 22 11:00:00 m1 chronyd[900]: System clock wrong by -7200.123456 seconds',
  ],
  [
    'systemd, no crio',
    'boot-image-not-of-release',
    'https://github.com/okd-project/okd/issues/2041',
    'Failed to start crio.service: Unit crio.service not found.',
  ],
] as const;

/** Messages of firmware and boot programs on the console of a machine. */
export const BOOT_PROGRAM_CASES: readonly FieldCase[] = MESSAGES.map(([id, rule, source, message]) => ({
  id,
  source,
  symptom: message.trim().replaceAll(/\s*\n\s*/g, ' '),
  cause: 'as the message says',
  expected: [rule],
  evidence: [text('>>Start PXE over IPv4.', message, '')],
}));
