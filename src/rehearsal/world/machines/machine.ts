import { UNATTACHED } from '../network/attachment.ts';
import { machineNetwork } from '../network/network.ts';
import type { Hardware, MachineState } from '../saved.ts';
import type { World } from '../world.ts';
import type { MachineContext } from './machine-context.ts';
import { writeJournal } from './machine-report.ts';
import { STAGE_HANDLERS } from './stages.ts';

/** A machine that can be powered on and off and runs through its stages automatically. */
export interface Machine {
  readonly hardware: Hardware;
  readonly state: MachineState;
  powerOn(): void;
  powerOff(): void;
  /** Continues from the saved stage after a restart of the site. */
  resume(): void;
}

/** Creates a machine from its saved state. Nothing runs before `powerOn` or `resume`. */
export function createMachine(world: World, hardware: Hardware, state: MachineState): Machine {
  let power: AbortController | null = null;

  function createContext(signal: AbortSignal): MachineContext {
    return {
      world,
      hardware,
      state,
      signal,
      network: () => machineNetwork(world, state.lease ?? UNATTACHED, hardware.clockError),
      print: (line) => {
        if (line === state.console) return;
        state.console = line;
        world.log(`${state.name}: ${line}`);
        writeJournal(world, state, line);
      },
      sleep: (ms) => world.clock.sleep(ms, signal),
    };
  }

  async function runStages(signal: AbortSignal): Promise<void> {
    const machine = createContext(signal);
    while (!signal.aborted && state.stage !== 'off') {
      const next = await STAGE_HANDLERS[state.stage](machine);
      if (signal.aborted) return;
      if (next === 'installing') world.journals.clear(state.name);
      state.stage = next;
      state.since = world.clock.now();
      world.log(`${state.name}: ${next}`);
      world.changed();
    }
  }

  function run(): void {
    const controller = new AbortController();
    power = controller;
    const signal = AbortSignal.any([controller.signal, world.signal]);
    runStages(signal).catch((error: unknown) => {
      if (!signal.aborted) world.log(`${state.name}: ${error instanceof Error ? error.stack : String(error)}`);
    });
  }

  return {
    hardware,
    state,
    powerOn() {
      if (state.stage !== 'off') return;
      state.stage = hardware.isDead ? 'dead' : 'firmware';
      state.since = world.clock.now();
      world.changed();
      run();
    },
    powerOff() {
      power?.abort();
      state.stage = 'off';
      // A machine that is no node yet boots from the network once after it was powered off.
      state.startsFromNetwork = state.joinedAt === null;
      state.since = world.clock.now();
      state.lease = null;
      world.changed();
    },
    resume() {
      if (state.stage !== 'off') run();
    },
  };
}
