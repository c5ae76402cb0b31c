//! What queries over several collections lead to, and what is told where not all of them can answer.

use super::{Halves, refused};

/// A component that a collection behind the first cannot resolve is told of, as one of the first is.
#[tokio::test]
async fn what_any_of_the_collections_cannot_resolve_is_told() {
    let halves = Halves::start().await;
    let field = r#"{"add-field":{"name":"shelf","type":"string"}}"#;
    halves.post("/solr/left/schema", field).await;
    for asked in [
        "facet=true&facet.field=shelf",
        "facet=true&facet.pivot=shelf,label",
        "json.facet={shelves:{type:terms,field:shelf}}",
        "debug=results&explainOther=shelf:x",
    ] {
        let path = |names: &str| format!("/solr/{names}/select?q=*:*&rows=0&{asked}");
        assert_eq!(halves.0.get(&path("left")).await.status, 200, "{asked}");
        let (own, beside) = (halves.0.get(&path("right,left")).await, halves.0.get(&path("both")).await);
        assert_eq!((own.status, beside.status), (400, 400), "{asked}: {} {}", own.body, beside.body);
        // Of the first Solr says it behind the hits.
        assert!(own.body.contains(r#""numFound":30"#), "{asked}: {}", own.body);
        let told = |body: &str| body.split_once(r#""msg":"#).unwrap().1.to_owned();
        assert_eq!(told(&beside.body), told(&own.body), "{asked}");
        assert!(told(&own.body).contains("shelf"), "{}", own.body);
    }
    let warned =
        halves.ask("both", "/select?q=*:*&rows=0&facet=true&facet.field=sold&facet.mincount=0").await;
    assert!(warned.matches("mincount").count() <= 1, "{warned}");

    let column = "fl=near:[subquery]&near.q=*:*&near.facet=true&near.facet.field";
    let why = "while invoking near:[subquery] on doc 03: undefined field";
    refused(&halves.0, &format!("/solr/both/select?q=id:03&{column}=shelf"), why).await;
    refused(&halves.0, &format!("/solr/left/select?q=id:03&{column}=nowhere"), why).await;

    let handler = r#"{"add-requesthandler":{"name":"/mlt","class":"solr.MoreLikeThisHandler","defaults":{"mlt.fl":"name","mlt.mintf":1,"mlt.mindf":1}}}"#;
    halves.post("/solr/left/config", handler).await;
    let alike =
        |names: &str, field: &str| format!("/solr/{names}/mlt?q=id:03&facet=true&facet.field={field}");
    assert_eq!(halves.0.get(&alike("left", "shelf")).await.status, 200);
    refused(&halves.0, &alike("both", "shelf"), "undefined field").await;
    refused(&halves.0, &alike("left", "nowhere"), "undefined field").await;
}
