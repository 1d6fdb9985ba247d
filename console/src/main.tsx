// Starts the console in the page.
import { render } from 'preact'
import { App } from './frame/app.tsx'
import { followLinks } from './frame/address.ts'
import { openSession } from './frame/session.ts'

followLinks()
void openSession()
const root = document.getElementById('console')
if (root !== null) render(<App />, root)
