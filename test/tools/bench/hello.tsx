import { render, Text } from 'ink';

render(<Text>hello from ink</Text>, { alternateScreen: true, incrementalRendering: true, interactive: true });
// Waits for a signal, like any program with a screen.
setInterval(() => undefined, 60_000);
process.on('SIGTERM', () => process.exit(0));
