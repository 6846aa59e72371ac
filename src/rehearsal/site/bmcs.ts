import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';
import { listNodesWithRole } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';

/** Lists the BMCs of the control plane on a network of their own (RFC 5737), with the names of their nodes. */
export function listBmcs(design: Design): readonly { readonly name: string; readonly address: string }[] {
  if (design.topology !== 'fencing') return [];
  return listNodesWithRole(design, 'control-plane').map(({ name }, index) => ({
    name,
    address: `192.0.2.${index + 11}`,
  }));
}

/** Creates the file with the BMC credentials. As on new machines, the certificates of the BMCs have no known CA. */
export function createFencingFile(design: Design): string {
  const credentials = listBmcs(design).map(({ name, address }) => ({
    hostName: name,
    address: `redfish+https://${address}/redfish/v1/Systems/1`,
    username: `bmc-${randomBytes(4).toString('hex')}`,
    password: randomBytes(12).toString('hex'),
    certificateVerification: 'Disabled',
  }));
  return stringify({ credentials }, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
}
