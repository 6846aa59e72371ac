import * as z from '../platform/zod.ts';
import { toCanonicalAddress, toCanonicalCidr, toCanonicalMac } from './address.ts';
import {
  ARCHITECTURES,
  DEFAULT_CLUSTER_NETWORK,
  DEFAULT_DISK_GIB,
  DEFAULT_INSTALL_DISK,
  DEFAULT_NODE_SIZES,
  DEFAULT_SERVICE_NETWORK,
  getDefaultHostPrefix,
  HOST_OS_NAMES,
  isSingleNode,
  NODE_ROLES,
  type NodeRole,
  OPTIONAL_INFRA_COMPONENTS,
  OS_IMAGE_STREAMS,
  TOPOLOGIES,
  type Topology,
  WORKER_ROLES,
} from './choices.ts';
import { getVersionProfile } from './versions.ts';

// The design file: its keys, their types and their defaults. Its input is the file, its output the `Design` of
// model.ts: every default filled in, addresses in their canonical spelling ("172.16.0.21", lowercase compressed IPv6),
// MACs in lower case with colons. Invalid addresses and names stay as they are: the design rules check values, so that
// all problems of a file are reported at once. Every optional key may be null, because YAML reads `proxy:` without a
// value as null. A key that is not listed is an error.

/** Creates an optional key with a default. */
const withDefault = <Schema extends z.ZodType>(schema: Schema, defaultValue: z.output<Schema>) =>
  schema.nullish().transform((value): z.output<Schema> => value ?? defaultValue);

/** Creates an optional key that is null in the design when it is missing. */
const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value): z.output<Schema> | null => value ?? null);

/** Creates an optional block; when it is missing, the defaults of its keys apply. */
const block = <Shape extends z.ZodRawShape>(shape: Shape) => {
  const schema = z.strictObject(shape);
  return withDefault(schema, schema.parse({}));
};

const text = z.string();
const optionalText = text.nullish().transform((value) => value || null);
const flag = (defaultValue: boolean) => withDefault(z.boolean(), defaultValue);
const optionalList = <Schema extends z.ZodType>(schema: Schema) => withDefault(z.array(schema), []);
const size = (max: number) => z.int().min(1).max(max);
const label = text.meta({ description: 'A single DNS label', pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' });

const normalizeAddress = (value: string) => toCanonicalAddress(value) ?? value;
const address = text.transform(normalizeAddress);
const optionalAddress = optionalText.transform((value) => value && normalizeAddress(value));
/** One entry per family, IPv4 and IPv6 in the order of the file. */
const addresses = z
  .union([text, z.array(text).min(1).max(2)])
  .meta({ description: 'An address, or a list of one IPv4 and one IPv6 address' })
  .transform((value) => (typeof value === 'string' ? [value] : value).map(normalizeAddress));
const cidr = text
  .meta({ description: 'A network: 172.16.0.0/24', examples: ['172.16.0.0/24'] })
  .transform((value) => toCanonicalCidr(value) ?? value);

/**
 * A machine that serves the cluster and is not part of it. `name` is a single label in the base domain; connections use
 * the first address.
 */
const serviceHost = z.strictObject({
  name: label,
  // `addresses` refuses an empty list, so there is always a first one.
  ip: addresses.transform(([first = '', ...others]): [string, ...string[]] => [first, ...others]),
  os: withDefault(z.enum(HOST_OS_NAMES), 'rhel9'),
});

const networks = z.strictObject({
  /** The networks of the nodes. */
  machine: z.array(z.strictObject({ cidr, gateway: optionalAddress })).min(1),
  /** The pod networks; each node gets a subnet with the prefix `hostPrefix`. */
  cluster: withDefault(
    z
      .array(
        z
          .strictObject({ cidr, hostPrefix: orNull(z.int().min(1).max(128)) })
          .transform((entry) => ({ ...entry, hostPrefix: entry.hostPrefix ?? getDefaultHostPrefix(entry.cidr) })),
      )
      .min(1),
    [{ cidr: DEFAULT_CLUSTER_NETWORK, hostPrefix: getDefaultHostPrefix(DEFAULT_CLUSTER_NETWORK) }],
  ),
  service: withDefault(z.array(cidr).min(1), [DEFAULT_SERVICE_NETWORK]),
  /** By default that of the version. */
  type: optionalText,
  /** Networks in use, which the machine, pod and service networks must not overlap. */
  company: optionalList(cidr),
  /** Address, on the company network, of the router between the company network and the machine network. */
  router: optionalAddress,
});

/**
 * A machine of the cluster, including the bootstrap machine. `name` is a single DNS label, `installDisk` a path such as
 * /dev/sda, `mac` that of the boot interface. `interface`, `bond` and `vlan` describe the link of its address; null
 * means the default.
 */
const node = z
  .strictObject({
    name: label,
    role: z.enum(NODE_ROLES),
    /** Empty for a machine created by a cloud: the cluster knows its address. */
    ip: addresses,
    mac: text
      .meta({ description: 'Six octets: 00:50:56:96:11:c2' })
      .transform((value) => toCanonicalMac(value) ?? value),
    vcpu: orNull(size(4096)),
    memoryGiB: orNull(size(65_536)),
    diskGiB: withDefault(size(1_048_576), DEFAULT_DISK_GIB),
    installDisk: withDefault(text, DEFAULT_INSTALL_DISK),
    interface: orNull(text),
    bond: orNull(z.strictObject({ name: text, interfaces: z.array(text).min(1), mode: text })),
    vlan: orNull(z.int().min(1).max(4094)),
    // Both kinds of firmware are served. The boot server stops a machine that boots with BIOS where UEFI is planned.
    firmware: withDefault(z.enum(['uefi', 'bios']), 'uefi'),
    secureBoot: flag(false),
    kernelArguments: optionalList(text),
  })
  .transform((entry) => ({ ...entry, memoryGiB: entry.memoryGiB ?? DEFAULT_NODE_SIZES[entry.role].memoryGiB }));

const SINGLE_NODE_VCPU = 8;

/** The services around the cluster, and the hosts that run them. `external`: managed by others; `none`: not used. */
const services = z.strictObject({
  bastion: serviceHost,
  /** `servers[0]` is the primary, the others are secondaries; empty when external. */
  dns: block({
    kind: orNull(z.enum(['bind', 'external'])),
    servers: optionalList(serviceHost),
    forwarders: optionalList(address),
  }).transform((dns) => ({ ...dns, kind: dns.kind ?? (dns.servers.length > 0 ? 'bind' : 'external') })),
  /** `server` is the name of a service host. */
  dhcp: block({ kind: orNull(z.enum(['isc-dhcpd', 'kea', 'none'])), server: optionalText }),
  loadBalancer: block({
    kind: orNull(z.enum(['haproxy', 'external'])),
    servers: optionalList(serviceHost),
  }).transform((balancer) => ({
    ...balancer,
    kind: balancer.kind ?? (balancer.servers.length > 0 ? 'haproxy' : 'external'),
  })),
  boot: block({
    kind: withDefault(z.enum(['ipxe', 'iso']), 'ipxe'),
    httpPort: withDefault(z.int().min(1).max(65_535), 8080),
  }),
  time: block({ servers: optionalList(address) }),
});

/**
 * Completes the settings of DHCP. RHEL 10 ships no ISC dhcpd; Kea replaced it (community.theforeman.org, "Integrate Kea
 * DHCP provider").
 */
function completeDhcp({ bastion, dns, dhcp, loadBalancer }: z.output<typeof services>): {
  kind: NonNullable<typeof dhcp.kind>;
  server: string | null;
} {
  if (dhcp.kind === 'none') return { kind: dhcp.kind, server: null };
  const [primary = bastion] = dns.kind === 'bind' ? dns.servers : [];
  const server = dhcp.server ?? primary.name;
  const os = [bastion, ...dns.servers, ...loadBalancer.servers].find(({ name }) => name === server)?.os;
  return { kind: dhcp.kind ?? (os === 'rhel10' ? 'kea' : 'isc-dhcpd'), server };
}

/** A block with only empty values is no proxy. */
const proxy = z
  .strictObject({ httpProxy: withDefault(text, ''), httpsProxy: withDefault(text, ''), noProxy: withDefault(text, '') })
  .nullish()
  .transform((value) => (value && (value.httpProxy || value.httpsProxy || value.noProxy) ? value : null));

/** The components that move to the infra nodes, and the taint that keeps other pods off them. Volumes are in GiB. */
const infra = block({
  taint: block({
    key: withDefault(text, 'node-role.kubernetes.io/infra'),
    value: withDefault(text, 'reserved'),
    noExecute: flag(false),
  }),
  /** Whether to create the MachineConfigPool `infra`. */
  pool: flag(true),
  keepWorkerRole: flag(true),
  /** Null, for a cluster without a design, keeps the current number. */
  routerReplicas: withDefault(z.int().min(1).max(100), 3).transform((count): number | null => count),
  /** The IngressControllers that move in addition to `default`. */
  routers: withDefault(z.array(text).max(50), []),
  registry: block({
    storage: withDefault(z.enum(['pvc', 'emptyDir', 'none']), 'pvc'),
    storageClass: optionalText,
    accessMode: withDefault(z.enum(['ReadWriteMany', 'ReadWriteOnce']), 'ReadWriteMany'),
    sizeGiB: withDefault(size(1_048_576), 100),
    /**
     * Whether the volume stays when its claim is deleted: its StorageClass is then a copy with the reclaim policy
     * Retain.
     */
    retain: flag(false),
  }),
  monitoring: block({
    storageClass: optionalText,
    prometheusGiB: withDefault(size(1_048_576), 40),
    alertmanagerGiB: withDefault(size(1_048_576), 10),
  }),
  also: optionalList(z.enum(OPTIONAL_INFRA_COMPONENTS)),
  removeWorkersFromLoadBalancer: flag(true),
  /** Minimum and maximum number of workers in all zones together; null when nothing changes their number. */
  autoscaler: orNull(
    z.strictObject({ least: withDefault(z.int().min(0).max(2000), 1), most: z.int().min(1).max(2000) }),
  ),
  /**
   * Infra nodes created by the cloud; null when all nodes are those of the design. `count`: in all zones together.
   * `size`: the cloud's instance type; null uses that of the workers. `healthCheck`: replace machines whose node is not
   * Ready for long.
   */
  machineSets: orNull(
    z.strictObject({
      count: withDefault(z.int().min(1).max(100), 3),
      size: optionalText,
      healthCheck: flag(false),
    }),
  ),
});

/** The design file of version v1. */
export const designSchema = z
  .strictObject({
    apiVersion: z.literal('upi-wizard/v1'),
    kind: z.literal('ClusterDesign'),
    openshift: z.strictObject({
      version: text.meta({
        description: 'In quotes: "4.18" or "4.18.11"; OKD: "4.20.0-okd-scos.3"',
        pattern: '^[45]\\.\\d+(\\.\\d+(-okd-scos\\.(ec\\.)?\\d+)?)?$',
      }),
      architecture: withDefault(z.enum(ARCHITECTURES), 'x86_64'),
      /** Null: that of the version. */
      osImageStream: orNull(z.enum(OS_IMAGE_STREAMS)),
    }),
    topology: orNull(z.enum(TOPOLOGIES)),
    cluster: z.strictObject({ name: text, baseDomain: text }),
    networks,
    endpoints: z.strictObject({ api: addresses, apiInt: addresses, ingress: addresses }),
    nodes: z.array(node).min(1),
    services: services.transform((all) => ({ ...all, dhcp: completeDhcp(all) })),
    credentials: block({ pullSecretFile: orNull(text), sshKeyFile: orNull(text), fencingFile: orNull(text) }),
    fips: flag(false),
    proxy,
    additionalTrustBundleFile: orNull(text),
    additionalTrustBundlePolicy: orNull(z.enum(['Always', 'Proxyonly'])),
    imageDigestSources: optionalList(z.strictObject({ source: text, mirrors: z.array(text).min(1) })),
    /** Null: what Prepare needs is fetched from the internet. */
    downloadsDir: orNull(text),
    infra,
  })
  .meta({
    title: 'ClusterDesign',
    description: 'The design of an OpenShift cluster on user-provisioned infrastructure',
  })
  .transform(({ apiVersion: _version, kind: _kind, ...file }) => {
    const topology =
      file.topology ??
      deriveTopology(
        file.nodes.map(({ role }) => role),
        file.credentials.fencingFile !== null,
      );
    const getDefaultVcpu = (role: NodeRole) =>
      isSingleNode(topology) && role === 'control-plane' ? SINGLE_NODE_VCPU : DEFAULT_NODE_SIZES[role].vcpu;
    return {
      ...file,
      topology,
      networks: {
        ...file.networks,
        type: file.networks.type ?? getVersionProfile(file.openshift.version).defaultNetworkType,
      },
      nodes: file.nodes.map((entry) => ({ ...entry, vcpu: entry.vcpu ?? getDefaultVcpu(entry.role) })),
      additionalTrustBundlePolicy:
        file.additionalTrustBundlePolicy ?? (file.additionalTrustBundleFile ? 'Always' : null),
    };
  });

/**
 * Derives the topology from the roles of the nodes: single-node with or without a bootstrap node, compact, arbiter or
 * fencing; otherwise standard.
 */
function deriveTopology(roles: readonly NodeRole[], hasFencingFile: boolean): Topology {
  const controlPlane = roles.filter((role) => role === 'control-plane');
  if (roles.some((role) => WORKER_ROLES.some((worker) => worker === role))) return 'standard';
  if (roles.includes('arbiter')) return 'arbiter';
  if (controlPlane.length === 1) return roles.includes('bootstrap') ? 'single-node-bootstrap' : 'single-node';
  if (controlPlane.length === 0) return 'standard';
  return hasFencingFile ? 'fencing' : 'compact';
}

/** Creates the JSON Schema of the design file (draft 2020-12), for editors. */
export function createDesignJsonSchema(): unknown {
  return z.toJSONSchema(designSchema, { io: 'input' });
}
