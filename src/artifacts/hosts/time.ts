import { stringify } from 'yaml';
import nodeTemplate from '../../../templates/chrony.conf.eta';
import serverTemplate from '../../../templates/chrony-server.conf.eta';
import { getServiceHostFqdn, listNodesWithRole } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { getVersionProfile } from '../../design/versions.ts';
import { listInternalClients, servesTime } from '../network/firewall.ts';
import { type FileDraft, type FileGenerator, WORK_DIR } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import { getOsProfile, listOsPaths } from './os.ts';

/**
 * chrony.conf of the bastion, whose clock decides whether certificates are valid. If the design has no time servers,
 * the bastion keeps the configuration of its operating system.
 */
export const chrony: FileGenerator<'chrony'> = {
  kind: 'chrony',
  host: 'bastion',
  paths: listOsPaths((profile) => profile.chrony.conf),
  getRequirements: (profile, design, host) => (runsChrony(design, host) ? profile.chrony : null),
  files: ({ design }) => (hasTimeServers(design) ? [createBastionConf(design)] : []),
};

const manifestPath = (pool: string) => `${WORK_DIR}/manifests/99-${pool}-chrony.yaml`;

/** One MachineConfig per pool with the chrony.conf of the nodes, to be added to the installer's manifests. */
export const chronyMachineConfigs: FileGenerator<'chrony-machineconfig'> = {
  kind: 'chrony-machineconfig',
  host: 'bastion',
  paths: [manifestPath('POOL')],
  files: ({ design }) => (hasTimeServers(design) ? createMachineConfigs(design) : []),
};

function hasTimeServers({ services }: Design): boolean {
  return services.time.servers.length > 0;
}

/**
 * Whether the host runs chrony. RHEL does; Debian has another time service, which stays unless the host serves time:
 * the file has no effect until you install chrony.
 */
function runsChrony(design: Design, host: ServiceHost): boolean {
  return host.os !== 'debian' || servesTime(design, host);
}

/**
 * Creates chrony.conf. A bastion that is one of the time servers serves the internal clients and queries the others.
 */
function createBastionConf(design: Design): FileDraft {
  const { bastion, time } = design.services;
  const { conf, unit } = getOsProfile(bastion.os).chrony;
  const bastionNames = [...bastion.ip, getServiceHostFqdn(design, bastion)];
  return {
    host: bastion,
    path: conf,
    content: renderTemplate(serverTemplate, {
      fqdn: getServiceHostFqdn(design, bastion),
      servers: time.servers.filter((server) => !bastionNames.includes(server)),
      clients: servesTime(design, bastion) ? listInternalClients(design) : [],
    }),
    ...(runsChrony(design, bastion) ? { reload: ['systemctl', 'restart', unit] } : {}),
  };
}

function createMachineConfigs(design: Design): FileDraft[] {
  const conf = renderTemplate(nodeTemplate, { servers: design.services.time.servers });
  const { ignitionSpec } = getVersionProfile(design.openshift.version);
  const arbiterPool = listNodesWithRole(design, 'arbiter').length > 0 ? ['arbiter'] : [];
  return ['master', ...arbiterPool, 'worker'].map((pool) => ({
    host: design.services.bastion,
    path: manifestPath(pool),
    content: stringify(buildMachineConfig(pool, conf, ignitionSpec), { lineWidth: 0 }),
  }));
}

function buildMachineConfig(pool: string, conf: string, version: string) {
  const contents = { source: `data:,${encodeURIComponent(conf)}` };
  const file = version.startsWith('2.')
    ? { filesystem: 'root', path: '/etc/chrony.conf', mode: 0o644, contents }
    : { path: '/etc/chrony.conf', mode: 0o644, overwrite: true, contents };
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: `99-${pool}-chrony`, labels: { 'machineconfiguration.openshift.io/role': pool } },
    spec: { config: { ignition: { version }, storage: { files: [file] } } },
  };
}
