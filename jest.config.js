// Tests run the very TypeScript that production runs: types are stripped by Node itself, modules stay ES modules.
export default {
  testEnvironment: 'node',
  testRunner: './libs/testing/jest/runner.ts',
  transform: {}, // Jest changes no file.
  moduleFileExtensions: ['ts', 'js', 'json', 'node'],
  testSequencer: './libs/testing/jest/sequencer.js',
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  modulePathIgnorePatterns: ['<rootDir>/.data'],
  globalSetup: './libs/testing/jest/setup.ts',
  globalTeardown: './libs/testing/jest/teardown.ts',
  maxWorkers: 5, // Of two cores: files wait for other processes and for timers half of the time.
  testTimeout: 60_000,
}
