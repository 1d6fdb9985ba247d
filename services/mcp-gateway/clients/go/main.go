// The official MCP client of Go for clients.test.ts: runs the session on its standard input and prints what came back. With the argument
// sign-in it signs in first: sign_in.go.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type session struct {
	URL   string `json:"url"`
	Key   string `json:"key"`
	Mode  string `json:"mode"` // A protocol version.
	Calls []struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	} `json:"calls"`
}

type withKey struct{ key string }

func (t withKey) RoundTrip(request *http.Request) (*http.Response, error) {
	request.Header.Set("Authorization", "Bearer "+t.key)
	return http.DefaultTransport.RoundTrip(request)
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "sign-in" {
		signIn()
		return
	}
	var given session
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	transport := &mcp.StreamableClientTransport{
		Endpoint:   given.URL,
		HTTPClient: &http.Client{Transport: withKey{given.Key}},
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil)
	connected, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: given.Mode})
	if err != nil {
		log.Fatal(err)
	}
	server := connected.InitializeResult()
	called := []any{}
	listed := list(ctx, connected)
	for _, one := range given.Calls {
		called = append(called, call(ctx, connected, &mcp.CallToolParams{Name: one.Name, Arguments: one.Arguments}))
	}
	answer := map[string]any{
		"version": server.ProtocolVersion,
		"server":  server.ServerInfo,
		"listed":  listed,
		"called":  called,
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		log.Fatal(err)
	}
}

func list(ctx context.Context, connected *mcp.ClientSession) map[string]any {
	result, err := connected.ListTools(ctx, nil)
	if err != nil {
		return map[string]any{"failed": err.Error()}
	}
	names := []string{}
	for _, tool := range result.Tools {
		names = append(names, tool.Name)
	}
	return map[string]any{"tools": names}
}

func call(ctx context.Context, connected *mcp.ClientSession, params *mcp.CallToolParams) map[string]any {
	result, err := connected.CallTool(ctx, params)
	if err != nil {
		return map[string]any{"failed": err.Error()}
	}
	text := ""
	if block, isText := result.Content[0].(*mcp.TextContent); isText {
		text = block.Text
	}
	return map[string]any{"isError": result.IsError, "text": text, "structured": result.StructuredContent}
}
