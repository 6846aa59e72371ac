import { INFRA_LABEL, infraNodeNames } from '../../design/infra-placement.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import type { ClusterReader } from '../cluster-reader.ts';

/**
 * Adds the infra nodes that the cloud created to the design. Machines come and go, so the label tells which nodes are
 * infra nodes. A design without machine sets is returned as it is, without a request.
 */
export async function withMachineNodes(design: Design, cluster: ClusterReader): Promise<Design> {
  if (design.infra.machineSets === null) return design;
  const known = infraNodeNames(design);
  const found = (await cluster.list('Node')).filter(({ metadata }) => metadata.labels?.[INFRA_LABEL] !== undefined);
  const others = found.map(({ metadata }) => metadata.name).filter((name) => !known.includes(name));
  return { ...design, nodes: [...design.nodes, ...others.sort().map((name) => createNodeStub(name, 'infra'))] };
}

/** Creates a node that is known by its name alone; nothing is generated from it. */
export function createNodeStub(name: string, role: DesignNode['role']): DesignNode {
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
