import { render, Text } from 'ink';

render(<Text>hello from ink</Text>, { alternateScreen: true, incrementalRendering: true, interactive: true });
// It waits for a signal, as a program with a screen does.
setInterval(() => undefined, 60_000);
process.on('SIGTERM', () => process.exit(0));
