import { INFRA_LABEL, infraNames } from '../../design/infra-placement.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import type { Sight } from '../move.ts';

/**
 * The design with the infra nodes that the cloud made: machines come and go, so who is an infra node is read from the labels.
 * A design without machine sets stays as it is, and asks nobody.
 */
export async function withMachineNodes(design: Design, sight: Sight): Promise<Design> {
  if (design.infra.machineSets === null) return design;
  const known = infraNames(design);
  const found = (await sight.list('Node')).filter(({ metadata }) => metadata.labels?.[INFRA_LABEL] !== undefined);
  const others = found.map(({ metadata }) => metadata.name).filter((name) => !known.includes(name));
  return { ...design, nodes: [...design.nodes, ...others.sort().map((name) => foundNode(name, 'infra'))] };
}

/** A node that is known by its name alone: nothing is made from it. */
export function foundNode(name: string, role: DesignNode['role']): DesignNode {
  return {
    name,
    fqdn: name,
    role,
    ip: [],
    mac: '',
    vcpu: 0,
    memoryGiB: 0,
    diskGiB: 0,
    installDisk: '',
    interface: null,
    bond: null,
    vlan: null,
    firmware: 'uefi',
    secureBoot: false,
    kernelArguments: [],
  };
}
