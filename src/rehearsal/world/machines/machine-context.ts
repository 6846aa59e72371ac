import type { MachineNetwork } from '../network/network.ts';
import type { Hardware, MachineState } from '../saved.ts';
import type { World } from '../world.ts';

/** What a stage may use: the machine, its saved state, and the signal that ends it when it loses power. */
export interface MachineContext {
  readonly world: World;
  readonly hardware: Hardware;
  readonly state: MachineState;
  readonly signal: AbortSignal;
  /** The network with the address that the machine has now. */
  readonly network: () => MachineNetwork;
  /** A line on its console; a new one also goes to the site's log. */
  readonly print: (line: string) => void;
  readonly sleep: (ms: number) => Promise<void>;
}
