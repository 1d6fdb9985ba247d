// Tests run the very TypeScript that production runs: types are stripped by Node itself, modules stay ES modules.
export default {
  testEnvironment: 'node',
  testRunner: './testing/jest/runner.ts',
  transform: {}, // Jest changes no file.
  moduleFileExtensions: ['ts', 'js', 'json', 'node'],
  testSequencer: './testing/jest/sequencer.js',
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  modulePathIgnorePatterns: ['<rootDir>/.data'],
  globalSetup: './testing/jest/setup.ts',
  globalTeardown: './testing/jest/teardown.ts',
  maxWorkers: 5, // Of two cores: files wait for other processes and for timers half of the time.
  testTimeout: 60_000,
}
