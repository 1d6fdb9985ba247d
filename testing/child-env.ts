// The least environment of a process that a test starts. Node keeps compiled code in the folder that setup.ts names, so that the
// second process of a run need not compile the product again.
const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env

export const childEnv = { PATH, NODE_COMPILE_CACHE }
