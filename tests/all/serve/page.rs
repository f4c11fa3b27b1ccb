//! The page at `/`. That it works is seen in a browser; here, that it is whole, and kept apart.

use super::answering;

#[test]
fn the_page_and_its_parts_are_served() {
    let (_upstream, _home, serving) = answering(vec![]);
    let page = serving.get("/");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    let html = page.text();
    for (name, kind) in [
        ("page.css", "text/css"),
        ("page.js", "text/javascript"),
        ("markdown.js", "text/javascript"),
        ("server.js", "text/javascript"),
    ] {
        let part = serving.get(&format!("/{name}"));
        assert!(part.status == 200 && part.header("content-type").unwrap().starts_with(kind), "{name}");
        assert_eq!(part.header("x-content-type-options"), Some("nosniff"));
    }
    let script = serving.get("/page.js");
    for (importer, text) in
        [("page.js", script.text().to_owned()), ("turn.js", serving.get("/turn.js").text().to_owned())]
    {
        let names: Vec<&str> =
            text.split("from './").skip(1).filter_map(|rest| rest.split('\'').next()).collect();
        assert!(!names.is_empty(), "{importer} imports nothing: {text}");
        for name in names {
            assert_eq!(serving.get(&format!("/{name}")).status, 200, "{importer} imports {name}");
        }
    }
    let ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let used = script.text().split("ui.").skip(1);
    let used = used.filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next());
    let used: Vec<&str> = used.filter(|name| !name.is_empty()).collect();
    assert!(used.len() > 10, "{used:?}");
    for id in used {
        assert!(ids.contains(&id), "the page has no {id}: {ids:?}");
    }
}
