import * as z from '../platform/zod.ts';
import { ARCHITECTURES, OPTIONAL_COMPONENTS, OS_NAMES, ROLES, TOPOLOGIES } from './model.ts';

// Shape of the design file: its keys and their types. The design rules check the values (addresses, names, overlaps),
// so that all problems of a file are reported at once. Every optional key may be null, because YAML reads `proxy:`
// without a value as null.

const text = z.string();
const addresses = z
  .union([text, z.array(text).min(1).max(2)])
  .meta({ description: 'An address, or a list of one IPv4 and one IPv6 address' });
const cidr = text.meta({ description: 'A network: 172.16.0.0/24', examples: ['172.16.0.0/24'] });
const label = text.meta({ description: 'A single DNS label', pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' });
const size = (max: number) => z.int().min(1).max(max);

const serviceHost = z.strictObject({ name: label, ip: addresses, os: z.enum(OS_NAMES).nullish() });

const networks = z.strictObject({
  machine: z.array(z.strictObject({ cidr, gateway: text.nullish() })).min(1),
  cluster: z
    .array(z.strictObject({ cidr, hostPrefix: z.int().min(1).max(128).nullish() }))
    .min(1)
    .nullish(),
  service: z.array(cidr).min(1).nullish(),
  type: text.nullish(),
  company: z.array(cidr).nullish(),
  router: text.nullish(),
});

const node = z.strictObject({
  name: label,
  role: z.enum(ROLES),
  ip: addresses,
  mac: text.meta({ description: 'Six octets: 00:50:56:96:11:c2' }),
  vcpu: size(4096).nullish(),
  memoryGiB: size(65_536).nullish(),
  diskGiB: size(1_048_576).nullish(),
  installDisk: text.nullish(),
  interface: text.nullish(),
  bond: z.strictObject({ name: text, interfaces: z.array(text).min(1), mode: text }).nullish(),
  vlan: z.int().min(1).max(4094).nullish(),
  firmware: z.enum(['uefi', 'bios']).nullish(),
  secureBoot: z.boolean().nullish(),
  kernelArguments: z.array(text).nullish(),
});

const services = z.strictObject({
  bastion: serviceHost,
  dns: z
    .strictObject({
      kind: z.enum(['bind', 'external']).nullish(),
      servers: z.array(serviceHost).nullish(),
      forwarders: z.array(text).nullish(),
    })
    .nullish(),
  dhcp: z.strictObject({ kind: z.enum(['isc-dhcpd', 'kea', 'none']).nullish(), server: text.nullish() }).nullish(),
  loadBalancer: z
    .strictObject({ kind: z.enum(['haproxy', 'external']).nullish(), servers: z.array(serviceHost).nullish() })
    .nullish(),
  boot: z
    .strictObject({ kind: z.enum(['ipxe', 'iso']).nullish(), httpPort: z.int().min(1).max(65_535).nullish() })
    .nullish(),
  time: z.strictObject({ servers: z.array(text).nullish() }).nullish(),
});

const infra = z.strictObject({
  taint: z.strictObject({ key: text.nullish(), value: text.nullish(), noExecute: z.boolean().nullish() }).nullish(),
  pool: z.boolean().nullish(),
  keepWorkerRole: z.boolean().nullish(),
  routerReplicas: z.int().min(1).max(100).nullish(),
  routers: z.array(text).max(50).nullish(),
  registry: z
    .strictObject({
      storage: z.enum(['pvc', 'emptyDir', 'none']).nullish(),
      storageClass: text.nullish(),
      accessMode: z.enum(['ReadWriteMany', 'ReadWriteOnce']).nullish(),
      sizeGiB: size(1_048_576).nullish(),
      retain: z.boolean().nullish(),
    })
    .nullish(),
  monitoring: z
    .strictObject({
      storageClass: text.nullish(),
      prometheusGiB: size(1_048_576).nullish(),
      alertmanagerGiB: size(1_048_576).nullish(),
    })
    .nullish(),
  also: z.array(z.enum(OPTIONAL_COMPONENTS)).nullish(),
  removeWorkersFromLoadBalancer: z.boolean().nullish(),
  autoscaler: z.strictObject({ least: z.int().min(0).max(2000).nullish(), most: z.int().min(1).max(2000) }).nullish(),
  machineSets: z
    .strictObject({
      count: z.int().min(1).max(100).nullish(),
      size: text.nullish(),
      healthCheck: z.boolean().nullish(),
    })
    .nullish(),
});

/** The design file of version v1. Strict: a key that is not listed is an error. */
export const designFileSchema = z
  .strictObject({
    apiVersion: z.literal('upi-wizard/v1'),
    kind: z.literal('ClusterDesign'),
    openshift: z.strictObject({
      version: text.meta({ description: 'In quotes: "4.18" or "4.18.11"', pattern: '^[45]\\.\\d+(\\.\\d+)?$' }),
      architecture: z.enum(ARCHITECTURES).nullish(),
    }),
    topology: z.enum(TOPOLOGIES).nullish(),
    cluster: z.strictObject({ name: text, baseDomain: text }),
    networks,
    endpoints: z.strictObject({ api: addresses, apiInt: addresses, ingress: addresses }),
    nodes: z.array(node).min(1),
    services,
    credentials: z.strictObject({ pullSecretFile: text.nullish(), sshKeyFile: text.nullish() }).nullish(),
    fips: z.boolean().nullish(),
    proxy: z.strictObject({ httpProxy: text.nullish(), httpsProxy: text.nullish(), noProxy: text.nullish() }).nullish(),
    additionalTrustBundleFile: text.nullish(),
    additionalTrustBundlePolicy: z.enum(['Always', 'Proxyonly']).nullish(),
    imageDigestSources: z.array(z.strictObject({ source: text, mirrors: z.array(text).min(1) })).nullish(),
    infra: infra.nullish(),
  })
  .meta({
    title: 'ClusterDesign',
    description: 'The design of an OpenShift cluster on user-provisioned infrastructure',
  });

/** The content of the file after the shape check; optional keys may be missing or null. */
export type DesignFile = z.infer<typeof designFileSchema>;

/** Returns the JSON Schema of the design file (draft 2020-12), for editors. */
export function designJsonSchema(): unknown {
  return z.toJSONSchema(designFileSchema);
}
