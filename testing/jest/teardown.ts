// Ends what setup.ts started.
import { teardown } from './setup.ts'

export default teardown
