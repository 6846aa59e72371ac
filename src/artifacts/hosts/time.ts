import { stringify } from 'yaml';
import nodeTemplate from '../../../templates/chrony.conf.eta';
import serverTemplate from '../../../templates/chrony-server.conf.eta';
import type { Design, ServiceHost } from '../../design/model.ts';
import { serviceHostFqdn } from '../../design/names.ts';
import { versionProfile } from '../../design/versions.ts';
import { insiders, servesTime } from '../network/openings.ts';
import type { Draft, Generator } from '../shared/draft.ts';
import { WORK_DIR } from '../shared/layout.ts';
import { render } from '../shared/render.ts';
import { byOs, osFacts } from './os.ts';

/** The time of the bastion, which judges certificates. Without servers in the design it keeps what its system brings. */
export const chrony: Generator<'chrony'> = {
  kind: 'chrony',
  host: 'bastion',
  paths: byOs((facts) => facts.chrony.conf),
  role: (facts, design, host) => (runsChrony(design, host) ? facts.chrony : null),
  files: ({ design }) => (hasServers(design) ? [bastionConf(design)] : []),
};

const manifest = (pool: string) => `${WORK_DIR}/manifests/99-${pool}-chrony.yaml`;

/** The time of the nodes: one MachineConfig per pool, to be put beside the installer's manifests. */
export const chronyMachineConfigs: Generator<'chrony-machineconfig'> = {
  kind: 'chrony-machineconfig',
  host: 'bastion',
  paths: [manifest('POOL')],
  files: ({ design }) => (hasServers(design) ? machineConfigs(design) : []),
};

function hasServers({ services }: Design): boolean {
  return services.time.servers.length > 0;
}

/**
 * Does the host run chrony? RHEL does; Debian has a time service of its own, which is left in place (the file waits for a chrony
 * that a person installs) unless the host has to serve time.
 */
function runsChrony(design: Design, host: ServiceHost): boolean {
  return host.os !== 'debian' || servesTime(design, host);
}

/** Where the bastion is one of the time servers itself, it serves those inside and asks the others. */
function bastionConf(design: Design): Draft {
  const { bastion, time } = design.services;
  const { conf, unit } = osFacts(bastion.os).chrony;
  const own = [...bastion.ip, serviceHostFqdn(design, bastion)];
  return {
    host: bastion,
    path: conf,
    content: render(serverTemplate, {
      fqdn: serviceHostFqdn(design, bastion),
      servers: time.servers.filter((server) => !own.includes(server)),
      clients: servesTime(design, bastion) ? insiders(design) : [],
    }),
    ...(runsChrony(design, bastion) ? { reload: ['systemctl', 'restart', unit] } : {}),
  };
}

function machineConfigs(design: Design): Draft[] {
  const conf = render(nodeTemplate, { servers: design.services.time.servers });
  const { ignitionSpec } = versionProfile(design.openshift.version);
  return ['master', 'worker'].map((pool) => ({
    host: design.services.bastion,
    path: manifest(pool),
    content: stringify(machineConfig(pool, conf, ignitionSpec), { lineWidth: 0 }),
  }));
}

function machineConfig(pool: string, conf: string, version: string) {
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
