import type { MachineNetwork } from '../network/network.ts';
import type { Hardware, MachineState } from '../saved.ts';
import type { World } from '../world.ts';

/** Everything that a stage uses: the machine, its saved state, and the signal that aborts it at power loss. */
export interface MachineContext {
  readonly world: World;
  readonly hardware: Hardware;
  readonly state: MachineState;
  readonly signal: AbortSignal;
  /** The network, used from the machine's current address. */
  readonly network: () => MachineNetwork;
  /** Prints a line on its console. A new line also goes to the site's log. */
  readonly print: (line: string) => void;
  readonly sleep: (ms: number) => Promise<void>;
}
