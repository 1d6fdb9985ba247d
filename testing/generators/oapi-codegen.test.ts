// oapi-codegen takes both documents as they are, and a program of Go with what it makes lists all orders.
// docs/spec/reference.md#openapi-documents
import { beforeAll, expect, test } from '@jest/globals'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toolFolder } from '../files/tool-folder.ts'
import { duringTests } from '../during-tests.ts'
import { openGiven } from './generators.ts'

const versions = {
  tool: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
  runtime: 'github.com/oapi-codegen/runtime@v1.8.0',
}
const go = (args: string[], cwd: string, env = {}) =>
  execFileSync('go', args, { cwd, env: { ...process.env, GOFLAGS: '-mod=mod', ...env }, stdio: 'pipe' })
const given = duringTests(() => openGiven())
let tool: string

beforeAll(async () => {
  tool = toolFolder('oapi-codegen', JSON.stringify(versions), (folder) => {
    go(['install', versions.tool], folder, { GOBIN: folder })
    // A module with what the made code needs, whose packages are compiled once.
    go(['mod', 'init', 'orders'], folder)
    go(['get', versions.runtime], folder)
    writeFileSync(
      join(folder, 'main.go'),
      'package main\n\nimport _ "github.com/oapi-codegen/runtime"\n\nfunc main() {}\n',
    )
    go(['build', '-o', '/dev/null', '.'], folder)
  })
}, 300_000)

/** Lists all orders: URL CREDENTIAL [SHOP]. */
const program = (api: string, operation: string, shop: string) => `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"orders/${api}"
)

func main() {
	key := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	client, err := ${api}.NewClientWithResponses(os.Args[1], ${api}.WithRequestEditorFn(key))
	if err != nil {
		panic(err)
	}
	limit := 2
	params := &${api}.${operation}Params{Limit: &limit}
	for {
		answer, err := client.${operation}WithResponse(context.Background(), ${shop}params)
		if err != nil {
			panic(err)
		}
		for _, order := range answer.JSON200.Data {
			fmt.Println(order.Id)
		}
		if !answer.JSON200.HasMore {
			return
		}
		params.Cursor = answer.JSON200.NextCursor
	}
}
`

test('its clients list all orders, page by page', async () => {
  for (const file of ['go.mod', 'go.sum']) execFileSync('cp', [join(tool, file), given.folder])
  for (const { name, file, url, credential, shop } of given.apis) {
    mkdirSync(join(given.folder, name))
    const code = join(name, 'client.go')
    const words = ['-generate', 'types,client', '-package', name, '-o', code, file]
    execFileSync(join(tool, 'oapi-codegen'), words, { cwd: given.folder, stdio: 'pipe' })
    const operation = shop.length === 0 ? 'ListOrders' : 'OrdersList'
    mkdirSync(join(given.folder, `list_${name}`))
    writeFileSync(
      join(given.folder, `list_${name}/main.go`),
      program(name, operation, shop.length === 0 ? '' : 'os.Args[3], '),
    )
    go(['build', '-o', `list-${name}`, `./list_${name}`], given.folder)
    const { stdout } = await promisify(execFile)(join(given.folder, `list-${name}`), [url, credential, ...shop])
    expect(stdout.trim().split('\n')).toEqual(given.orders)
  }
}, 300_000)
