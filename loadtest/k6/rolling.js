// The load of a rolling restart: reads, agents and contacts all at once, each as in its own story, and no request may fail.
import { handleSummary, steady } from './report.js'

export { default as contactWrites } from './story-contact-writes.js'
export { default as mcpAgents } from './story-mcp-agents.js'
export { default as mixedReads } from './story-mixed-reads.js'
export { handleSummary }

const shares = { mixedReads: 1, contactWrites: 0.25, mcpAgents: 0.25 }
const stories = Object.entries(shares).map(([story, share]) => [story, steady(story, share)])

export const options = {
  ...stories[0][1],
  scenarios: Object.fromEntries(stories.map(([story, { scenarios }]) => [story, { ...scenarios[story], exec: story }])),
}
