// The paths of archives and restores in the back office. Their bodies are streams and batches, so they are no rows of the table of routes.
// docs/spec/archives.md#api

export const ARCHIVE_PATH = '/shops/{shop}/archive/{part}'
export const RESTORES_PATH = '/restores'
export const RESTORE_PATH = '/restores/{id}'
export const RESTORE_PART_PATH = '/restores/{id}/parts/{part}'
export const RESTORE_FINISH_PATH = '/restores/{id}/finish'
