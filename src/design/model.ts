import type * as z from '../platform/zod.ts';
import type { designSchema } from './schema.ts';

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** The content of a design file; optional keys may be missing or null. */
export type DesignFile = z.input<typeof designSchema>;

type DesignOutput = DeepReadonly<z.output<typeof designSchema>>;

/** The design after parsing: every default filled in, every address in its canonical spelling. */
export interface Design extends Omit<DesignOutput, 'nodes'> {
  readonly nodes: readonly DesignNode[];
}

/** A machine of the cluster, including the bootstrap machine. */
export type DesignNode = DesignOutput['nodes'][number] & {
  /** Kubernetes node name assigned by a cloud; absent when it is derived from `name`. */
  readonly fqdn?: string;
};

/** A machine that serves the cluster and is not part of it. */
export type ServiceHost = Design['services']['bastion'];
/** The components that move to the infra nodes, and the taint that keeps other pods off them. */
export type InfraSettings = Design['infra'];
/** Minimum and maximum number of workers in all zones together. */
export type AutoscalerSettings = NonNullable<InfraSettings['autoscaler']>;
/** The machines of infra MachineSets. */
export type MachineSetSettings = NonNullable<InfraSettings['machineSets']>;

/** A problem of a design, in the shape that `design check --json` prints. */
export interface Problem {
  /** Path in the file: `nodes.2.ip`; empty for the whole file. */
  readonly path: string;
  /** Path of the other value of a pair that does not fit together, such as two networks that overlap. */
  readonly otherPath?: string;
  readonly severity: 'error' | 'warning';
  /** The rule's id, as `upi-wizard help rules` lists it. */
  readonly rule: string;
  readonly message: string;
  readonly fix: string;
  /** 1-based; 0 where the value is not in a file. */
  readonly line: number;
  readonly column: number;
}
